/* host_platform.c: the in-process machine. */
#include "tests/host_platform/host_platform.h"

#include <stdlib.h>

#include "tests/device/render/attach.h"
#include "tests/host/monotonic.h"
#include "tests/host_platform/base_platform.h"
#include "tests/host_platform/guest_ram.h"

#define RAM_BYTES    (UINT64_C(64) << 20)
#define BAR0_ADDRESS 0xFEB00000u
#define BAR1_ADDRESS 0xE0000000u

/* What one idle round costs on the manual clock. */
#define MANUAL_STEP_NS 1000u

struct agpu_host {
    struct agpu_platform platform;
    struct agpu_host_config config;
    struct agpu_host_counts counts;
    struct agpu_guest_ram ram;
    struct vgpu_device *device;
    struct vgpu_device_renderer *renderer;
    uint64_t manual_ns;
    uint64_t deadline_ns; /* at which the device wants its next service */
    bool intx;
};

static uint64_t now_ns(void *ctx)
{
    const struct agpu_host *host = ctx;

    return host->config.clock == AGPU_HOST_CLOCK_MANUAL ? host->manual_ns : agpu_monotonic_ns();
}

/* ---- the machine that the device sees ---- */

static void *device_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    (void)write;
    return agpu_guest_ram_pointer(&((struct agpu_host *)ctx)->ram, gpa, size);
}

static uint64_t device_extent(void *ctx, uint64_t gpa, bool write)
{
    (void)write;
    return agpu_guest_ram_extent(&((struct agpu_host *)ctx)->ram, gpa);
}

static void device_intx(void *ctx, bool asserted)
{
    struct agpu_host *host = ctx;

    host->intx = asserted;
    host->counts.intx_edges++;
}

static void service(struct agpu_host *host)
{
    host->counts.services++;
    host->deadline_ns = vgpu_device_service(host->device);
}

/* After an access: now, or not before something waits. */
static void service_after_access(struct agpu_host *host)
{
    if (!host->config.lazy) {
        service(host);
    }
}

/* ---- the machine that the driver sees ---- */

static bool pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    if (index != 0) {
        return false;
    }
    *out = (struct agpu_pci_ref){.handle = ctx, .location = {.device = 3}};
    return true;
}

static uint32_t config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    struct agpu_host *host = ctx;

    (void)function;
    host->counts.config_reads++;
    return vgpu_device_config_read(host->device, offset, size);
}

static void config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value)
{
    struct agpu_host *host = ctx;

    (void)function;
    host->counts.config_writes++;
    vgpu_device_config_write(host->device, offset, size, value);
    service_after_access(host);
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size)
{
    struct agpu_host *host = ctx;

    (void)function;
    host->counts.bar_reads++;
    return vgpu_device_bar_read(host->device, (enum vgpu_bar)bar, offset, size);
}

static void bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value)
{
    struct agpu_host *host = ctx;

    (void)function;
    host->counts.bar_writes++;
    vgpu_device_bar_write(host->device, (enum vgpu_bar)bar, offset, size, value);
    if (bar == VGPU_BAR_REGISTERS) {
        service_after_access(host);
    }
}

static bool bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                    struct agpu_bar_mapping *out)
{
    const struct agpu_host *host = ctx;
    struct vgpu_device_vram vram = vgpu_device_vram(host->device);

    (void)function;
    if (bar != VGPU_BAR_VRAM || vram.bytes == NULL) {
        return false;
    }
    *out = (struct agpu_bar_mapping){vram.bytes, BAR1_ADDRESS, vram.size};
    return true;
}

static int intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    (void)function;
    return ((struct agpu_host *)ctx)->intx;
}

static enum agpu_status dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out)
{
    struct agpu_host *host = ctx;
    void *memory = agpu_guest_ram_alloc(&host->ram, size);

    (void)function;
    if (memory == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    *out = (struct agpu_dma){
        .cpu = memory,
        .device_address = agpu_guest_ram_address(&host->ram, memory),
        .size = (size + AGPU_GUEST_PAGE - 1) / AGPU_GUEST_PAGE * AGPU_GUEST_PAGE,
    };
    host->counts.dma_live++;
    return AGPU_OK;
}

static void dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_host *host = ctx;

    agpu_guest_ram_free(&host->ram, dma->cpu);
    host->counts.dma_live--;
    *dma = (struct agpu_dma){0};
}

static void *heap_alloc(void *ctx, size_t size)
{
    struct agpu_host *host = ctx;
    void *memory = calloc(1, size ? size : 1); /* 16-byte aligned on every 64-bit Linux */

    if (memory != NULL) {
        host->counts.heap_live++;
    }
    return memory;
}

static void heap_free(void *ctx, void *memory)
{
    struct agpu_host *host = ctx;

    if (memory != NULL) {
        host->counts.heap_live--;
    }
    free(memory);
}

static void relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_host *host = ctx;

    host->counts.relaxes++;
    if (host->config.clock == AGPU_HOST_CLOCK_MANUAL) {
        /* A wait for vblank has nothing to see before the device's next deadline. */
        if (reason == AGPU_RELAX_VBLANK && host->deadline_ns != UINT64_MAX &&
            host->deadline_ns > host->manual_ns) {
            host->manual_ns = host->deadline_ns;
        } else {
            host->manual_ns += reason == AGPU_RELAX_VBLANK ? 100 * MANUAL_STEP_NS : MANUAL_STEP_NS;
        }
    }
    if (host->config.lazy || vgpu_device_needs_service(host->device) || now_ns(host) >= host->deadline_ns) {
        service(host);
    }
}

static void log_text(void *ctx, enum agpu_log_level level, const char *text)
{
    const struct agpu_host *host = ctx;

    host->config.log(host->config.log_ctx, level, text);
}

static void init_platform(struct agpu_host *host)
{
    struct agpu_platform *platform = &host->platform;

    *platform = agpu_base_platform;
    platform->ctx = host;
    platform->pci_function = pci_function;
    platform->config_read = config_read;
    platform->config_write = config_write;
    platform->bar_read = bar_read;
    platform->bar_write = bar_write;
    platform->bar_map = bar_map;
    platform->intx_level = intx_level;
    platform->dma_alloc = dma_alloc;
    platform->dma_free = dma_free;
    platform->heap_alloc = heap_alloc;
    platform->heap_free = heap_free;
    platform->now_ns = now_ns;
    platform->relax = relax;
    if (host->config.log != NULL) {
        platform->log = log_text;
    }
}

/* What firmware does before the image runs. */
static void assign_bars(struct agpu_host *host)
{
    vgpu_device_config_write(host->device, 0x10, 4, BAR0_ADDRESS);
    vgpu_device_config_write(host->device, 0x14, 4, BAR1_ADDRESS);
}

struct agpu_host *agpu_host_create(const struct agpu_host_config *config)
{
    struct agpu_host *host = calloc(1, sizeof *host);
    struct vgpu_device_machine machine = {
        .ctx = host,
        .dma_pointer = device_pointer,
        .dma_extent = device_extent,
        .set_intx = device_intx,
        .now_ns = now_ns,
    };
    struct vgpu_device_config device_config = {.abi = config->abi, .fault = config->fault};

    if (host == NULL) {
        return NULL;
    }
    host->config = *config;
    host->deadline_ns = UINT64_MAX;
    if (!agpu_guest_ram_open(&host->ram, config->ram_bytes ? config->ram_bytes : RAM_BYTES)) {
        free(host);
        return NULL;
    }
    host->device = vgpu_device_create(&machine, &device_config);
    if (host->device == NULL) {
        agpu_guest_ram_close(&host->ram);
        free(host);
        return NULL;
    }
    host->renderer = vgpu_device_renderer_attach(host->device, NULL, NULL);
    assign_bars(host);
    init_platform(host);
    return host;
}

void agpu_host_destroy(struct agpu_host *host)
{
    if (host == NULL) {
        return;
    }
    vgpu_device_destroy(host->device);
    vgpu_device_renderer_free(host->renderer);
    agpu_guest_ram_close(&host->ram);
    free(host);
}

const struct agpu_platform *agpu_host_platform(struct agpu_host *host)
{
    return &host->platform;
}

const struct agpu_host_counts *agpu_host_counts(const struct agpu_host *host)
{
    return &host->counts;
}

struct vgpu_device *agpu_host_device(struct agpu_host *host)
{
    return host->device;
}
