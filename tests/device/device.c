/* device.c: the public functions of the model: creation, gating by the command register, service points
 * (device.md 0, 2). */
#include "tests/device/device.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/bar0.h"
#include "tests/device/bus/capabilities.h"
#include "tests/device/bus/irq.h"
#include "tests/device/bus/vblank.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/lifecycle.h"
#include "tests/device/legacy/legacy.h"
#include "tests/device/shared_memory.h"
#include "tests/device/versioned/versioned.h"

static bool memory_space(const struct vgpu_device *device)
{
    return vgpu_config_space_has(&device->bus.config, VGPU_CONFIG_COMMAND_MEMORY);
}

static bool vram_create(struct vgpu_device_vram *vram, uint64_t size)
{
    vram->fd = vgpu_shared_memory_create("agpu-vram", size);
    if (vram->fd < 0) {
        return false;
    }
    vram->bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vram->fd, 0);
    if (vram->bytes == MAP_FAILED) {
        vram->bytes = NULL;
    }
    return vram->bytes != NULL;
}

static void vram_clear(const struct vgpu_device_vram *vram)
{
    /* A front end may have mapped the pages, so the file is cleared in place. */
    if (fallocate(vram->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)vram->size) != 0) {
        memset(vram->bytes, 0, vram->size);
    }
}

static void vram_destroy(const struct vgpu_device_vram *vram)
{
    if (vram->bytes != NULL) {
        munmap(vram->bytes, vram->size);
    }
    if (vram->fd >= 0) {
        close(vram->fd);
    }
}

static bool machine_valid(const struct vgpu_device_machine *machine)
{
    return machine != NULL && machine->dma_pointer != NULL && machine->dma_extent != NULL &&
           machine->set_intx != NULL && machine->now_ns != NULL;
}

bool vgpu_device_vram_size(const struct vgpu_device_config *config, uint64_t *size)
{
    *size = config != NULL ? config->vram_bytes : 0;
    if (config != NULL && vgpu_abi_is_legacy(config->abi)) {
        return *size == 0; /* legacy.md 1: no BAR1 */
    }
    if (config != NULL && config->pci.no_vram) {
        return *size == 0;
    }
    if (*size == 0) {
        *size = AEROGPU_PCI_BAR1_SIZE_BYTES;
    }
    return *size >= VGPU_VRAM_MIN_BYTES &&
           *size <=
               (config != NULL && config->pci.wide_vram ? VGPU_VRAM_WIDE_MAX_BYTES : VGPU_VRAM_MAX_BYTES) &&
           (*size & (*size - 1)) == 0;
}

/* All features of this minor version, minus those that the configuration removes. */
static uint64_t features_of(const struct vgpu_device_config *config, uint32_t minor)
{
    uint64_t features = AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |
                        AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO;

    if (minor < 1u) {
        features &= ~(uint64_t)AEROGPU_FEATURE_TRANSFER;
    }
    if (minor < 3u) {
        features &= ~(uint64_t)AEROGPU_FEATURE_ERROR_INFO;
    }
    return features & ~(config != NULL ? config->without : 0);
}

/* Sets the generation: the bus calls it through bus.abi and bus.generation. */
static bool create_versioned(struct vgpu_device *device)
{
    device->engine = vgpu_engine_create(&device->bus, &device->trace);
    device->bus.abi = &vgpu_abi_versioned;
    device->bus.generation = device->engine;
    return device->engine != NULL &&
           (device->bus.vram.size == 0 || vram_create(&device->bus.vram, device->bus.vram.size));
}

static bool create_legacy(struct vgpu_device *device)
{
    device->legacy = vgpu_legacy_create(&device->bus, &device->trace);
    device->bus.abi = &vgpu_abi_legacy;
    device->bus.generation = device->legacy;
    return device->legacy != NULL;
}

struct vgpu_device *vgpu_device_create(const struct vgpu_device_machine *machine,
                                       const struct vgpu_device_config *config)
{
    const bool legacy = config != NULL && vgpu_abi_is_legacy(config->abi);
    uint64_t vram_bytes;
    struct vgpu_device *device;

    if (!machine_valid(machine) || !vgpu_device_vram_size(config, &vram_bytes)) {
        return NULL;
    }
    device = calloc(1, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->bus.machine = *machine;
    device->bus.executor = config != NULL ? config->executor : VGPU_EXECUTOR_COMPLETE;
    device->trace.bus = &device->bus;
    device->bus.vram = (struct vgpu_device_vram){.fd = -1, .size = vram_bytes};
    device->bus.abi_version =
        config != NULL && config->abi_version != 0 ? config->abi_version : AEROGPU_ABI_VERSION_U32;
    device->bus.features = features_of(legacy ? NULL : config, device->bus.abi_version & 0xFFFFu);
    device->bus.misses = calloc(1, sizeof *device->bus.misses);
    vgpu_config_space_init(&device->bus.config, config != NULL ? &config->pci : &(struct vgpu_pci_setup){0},
                           vram_bytes);
    vgpu_capabilities_init(&device->bus.config);
    if (device->bus.misses == NULL || !(legacy ? create_legacy(device) : create_versioned(device))) {
        vgpu_device_destroy(device);
        return NULL;
    }
    if (config != NULL && config->abi == VGPU_ABI_LEGACY_AS_VERSIONED) {
        vgpu_config_space_identify(&device->bus.config, AEROGPU_PCI_DEVICE_ID << 16 | AEROGPU_PCI_VENDOR_ID,
                                   AEROGPU_PCI_SUBSYSTEM_ID << 16 | AEROGPU_PCI_SUBSYSTEM_VENDOR_ID);
    } else if (config != NULL && config->abi == VGPU_ABI_VERSIONED_AS_LEGACY) {
        vgpu_config_space_identify(&device->bus.config,
                                   AEROGPU_LEGACY_PCI_DEVICE_ID << 16 | AEROGPU_LEGACY_PCI_VENDOR_ID, 0);
    }
    return device;
}

void vgpu_device_destroy(struct vgpu_device *device)
{
    if (device == NULL) {
        return;
    }
    vgpu_engine_destroy(device->engine);
    vgpu_legacy_destroy(device->legacy);
    vram_destroy(&device->bus.vram);
    free(device->bus.misses);
    free(device);
}

void vgpu_device_reset(struct vgpu_device *device)
{
    vgpu_config_space_reset(&device->bus.config);
    vgpu_capabilities_init(&device->bus.config);
    device->bus.vblank = (struct vgpu_vblank){0};
    device->bus.scanout = (struct vgpu_scanout){0};
    device->bus.cursor = (struct vgpu_cursor){0};
    device->bus.abi->reset(device->bus.generation);
    if (device->bus.vram.fd >= 0) {
        vram_clear(&device->bus.vram);
    }
    device->bus.stats.device_resets++;
    vgpu_trace_event(&device->trace, "device_reset", 0);
}

/* Value of a read that no target answers. */
static uint64_t all_ones(uint32_t size)
{
    return size >= 8 ? UINT64_MAX : (1ull << (size * 8)) - 1;
}

uint32_t vgpu_device_config_read(struct vgpu_device *device, uint32_t offset, uint32_t size)
{
    return vgpu_config_space_read(&device->bus.config, offset, size);
}

void vgpu_device_config_write(struct vgpu_device *device, uint32_t offset, uint32_t size, uint32_t value)
{
    vgpu_config_space_write(&device->bus.config, offset, size, value);
    if (vgpu_capabilities_written(&device->bus.config)) {
        vgpu_device_reset(device);
    }
    vgpu_irq_update_line(&device->bus); /* INTx disable may have changed */
}

static bool width_valid(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool in_vram(const struct vgpu_device *device, uint64_t offset, uint32_t size)
{
    return offset < device->bus.vram.size && size <= device->bus.vram.size - offset;
}

/* True for the upper half of BAR0, which exists only with MSI-X. */
static bool behind_registers(const struct vgpu_device *device, uint64_t offset)
{
    return offset >= AEROGPU_PCI_BAR0_SIZE_BYTES && device->bus.config.setup.msix != 0;
}

struct vgpu_device_bars vgpu_device_bars(const struct vgpu_device *device)
{
    return (struct vgpu_device_bars){device->bus.config.registers_size, device->bus.config.vram_register};
}

uint64_t vgpu_device_bar_read(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset, uint32_t size)
{
    uint64_t value = 0;

    if (!width_valid(size) || !memory_space(device)) {
        return all_ones(size);
    }
    if (bar == VGPU_BAR_REGISTERS) {
        return behind_registers(device, offset)
                   ? vgpu_msix_read(&device->bus.config, offset - AEROGPU_PCI_BAR0_SIZE_BYTES, size)
                   : vgpu_bar0_read(&device->bus, offset, size);
    }
    if (bar != VGPU_BAR_VRAM || !in_vram(device, offset, size)) {
        return all_ones(size);
    }
    memcpy(&value, (uint8_t *)device->bus.vram.bytes + offset,
           size); /* little-endian host, as the tree assumes */
    return value;
}

void vgpu_device_bar_write(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset, uint32_t size,
                           uint64_t value)
{
    if (!width_valid(size) || !memory_space(device)) {
        return;
    }
    if (bar == VGPU_BAR_REGISTERS && behind_registers(device, offset)) {
        vgpu_msix_write(&device->bus.config, offset - AEROGPU_PCI_BAR0_SIZE_BYTES, size, value);
        vgpu_irq_update_line(&device->bus); /* a vector may have been unmasked */
    } else if (bar == VGPU_BAR_REGISTERS) {
        vgpu_bar0_write(&device->bus, offset, size, value);
    } else if (bar == VGPU_BAR_VRAM && in_vram(device, offset, size)) {
        memcpy((uint8_t *)device->bus.vram.bytes + offset, &value, size);
    }
}

bool vgpu_device_needs_service(const struct vgpu_device *device)
{
    return vgpu_bus_master(&device->bus) && device->bus.abi->pending(device->bus.generation);
}

uint64_t vgpu_device_service(struct vgpu_device *device)
{
    device->bus.budget = VGPU_SERVICE_BUDGET;
    vgpu_vblank_catch_up(&device->bus);
    if (vgpu_bus_master(&device->bus)) {
        device->bus.abi->service(device->bus.generation);
    }
    vgpu_irq_send_due(&device->bus);
    if (vgpu_device_needs_service(device)) {
        return device->bus.machine.now_ns(device->bus.machine.ctx);
    }
    return device->bus.vblank.running ? device->bus.vblank.next_edge_ns : UINT64_MAX;
}

struct vgpu_device_vram vgpu_device_vram(struct vgpu_device *device)
{
    return device->bus.vram;
}

void vgpu_device_set_renderer(struct vgpu_device *device, const struct vgpu_renderer *renderer)
{
    if (device->engine != NULL) { /* the legacy device draws nothing */
        device->engine->exec.renderer = renderer;
    }
}
