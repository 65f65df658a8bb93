/* fake_device.c: the device of the vfio-user tests: storage without behaviour. */
#include "tests/unit/vfio/fake_device.h"
#include "tests/unit/vfio/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct fake_device *current;
static bool with_msi;

void fake_device_with_msi(bool with)
{
    with_msi = with;
}

struct fake_device *fake_device(void)
{
    return current;
}

static void *fake_create(const struct agpu_device_host *host, void *machine, const char *options,
                         char *message, size_t message_size)
{
    struct fake_device *device;

    if (options[0] != '\0') { /* this device has no options */
        snprintf(message, message_size, "no options here");
        return NULL;
    }
    device = calloc(1, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->host = host;
    device->machine = machine;
    device->deadline = UINT64_MAX;
    device->vram_fd = memfd_create("fake-vram", MFD_CLOEXEC);
    if (device->vram_fd < 0 || ftruncate(device->vram_fd, FAKE_VRAM_BYTES) != 0) {
        free(device);
        return NULL;
    }
    device->vram = mmap(NULL, FAKE_VRAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, device->vram_fd, 0);
    for (unsigned i = 0; i < sizeof device->config; i++) {
        device->config[i] = (uint8_t)i;
    }
    memset(device->config + 0x10, 0, 24); /* BARs without an address */
    device->config[0x14] = 8;
    if (with_msi) {
        static const uint8_t capability[] = {5, 0x50, 4, 0};
        static const uint8_t extended[] = {0x11, 0, 3, 0, 0, FAKE_MSIX >> 8, 0, 0, 0, 0x30, 0, 0};

        device->config[0x06] |= 0x10;
        device->config[0x34] = 0x40;
        memcpy(device->config + 0x40, capability, sizeof capability);
        memcpy(device->config + 0x50, extended, sizeof extended);
        for (unsigned i = 0; i < 4; i++) {
            device->registers[FAKE_MSIX / 4 + 4 * i + 3] = 1;
        }
    }
    current = device;
    return device;
}

static void fake_destroy(void *handle)
{
    struct fake_device *device = handle;

    munmap(device->vram, FAKE_VRAM_BYTES);
    close(device->vram_fd);
    free(device);
    current = NULL;
}

static void fake_reset(void *handle, enum agpu_device_reset kind)
{
    struct fake_device *device = handle;

    (void)kind;
    device->reset_count++;
    device->doorbell = false;
    device->deadline = UINT64_MAX;
    device->host->set_interrupt(device->machine, false);
}

static uint32_t fake_config_read(void *handle, uint32_t offset, uint32_t size)
{
    struct fake_device *device = handle;
    uint32_t value = 0;

    memcpy(&value, device->config + offset, size);
    return value;
}

/* Both BARs respond to sizing. */
static void fake_config_write(void *handle, uint32_t offset, uint32_t size, uint32_t value)
{
    static const uint32_t masks[6] = {~(0x10000u - 1), ~(FAKE_VRAM_BYTES - 1)};
    struct fake_device *device = handle;
    uint32_t bars[6];

    memcpy(device->config + offset, &value, size);
    memcpy(&bars, device->config + 0x10, sizeof bars);
    for (size_t i = 0; i < 6; i++) {
        bars[i] = (bars[i] & masks[i]) | (i == 1 ? 8u : 0);
    }
    memcpy(device->config + 0x10, &bars, sizeof bars);
}

static uint64_t fake_bar_read(void *handle, uint32_t bar, uint64_t offset, uint32_t size)
{
    struct fake_device *device = handle;
    const uint8_t *bytes = bar == 1 ? device->vram : (const uint8_t *)device->registers;
    uint64_t value = 0;

    device->last_size = bar == 1 ? device->last_size : size;
    memcpy(&value, bytes + offset, size);
    return value;
}

static void fake_bar_write(void *handle, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    struct fake_device *device = handle;

    if (bar == 1) {
        memcpy(device->vram + offset, &value, size);
        return;
    }
    device->last_size = size;
    memcpy((uint8_t *)device->registers + offset, &value, size);
    if (offset == FAKE_DOORBELL) {
        device->doorbell = true;
    } else if (offset == FAKE_ACK) {
        device->host->set_interrupt(device->machine, false);
    } else if (offset == FAKE_MSI) {
        device->registers[FAKE_MSI_SENT / 4] = device->host->send_msi(device->machine, (uint32_t)value);
    } else if (offset == FAKE_TIMER) {
        device->deadline = device->host->now_ns(device->machine) + value;
    }
}

static void fake_ring(struct fake_device *device)
{
    const uint64_t target =
        (uint64_t)device->registers[FAKE_TARGET_HI / 4] << 32 | device->registers[FAKE_TARGET_LO / 4];
    void *place = device->host->dma_map(device->machine, target, 4, true);
    device->last_dma_failed = place == NULL;
    if (place != NULL) {
        memcpy(place, &device->registers[FAKE_DOORBELL / 4], 4);
    }
    device->host->set_interrupt(device->machine, true);
}

static uint64_t fake_poll(void *handle, uint64_t now_ns)
{
    struct fake_device *device = handle;

    device->service_count++;
    if (device->doorbell) {
        device->doorbell = false;
        fake_ring(device);
    }
    if (device->deadline <= now_ns) {
        device->deadline = UINT64_MAX;
        device->host->set_interrupt(device->machine, true);
    }
    return device->deadline;
}

static void fake_describe(void *handle, struct agpu_device_info *info)
{
    const struct fake_device *device = handle;

    info->config_bytes = sizeof device->config;
    info->msi_vectors = with_msi ? 4 : 0;
    info->bars[0].size = sizeof device->registers;
    info->bars[1] =
        (struct agpu_device_bar){.size = FAKE_VRAM_BYTES, .prefetchable = 1, .memory_fd = device->vram_fd};
}

static const struct agpu_device_plugin fake_table = {
    .major = AGPU_DEVICE_PLUGIN_MAJOR,
    .minor = AGPU_DEVICE_PLUGIN_MINOR,
    .size = sizeof(struct agpu_device_plugin),
    .name = "fake",
    .about = "Memory in place of behaviour.",
    .create = fake_create,
    .destroy = fake_destroy,
    .describe = fake_describe,
    .reset = fake_reset,
    .config_read = fake_config_read,
    .config_write = fake_config_write,
    .bar_read = fake_bar_read,
    .bar_write = fake_bar_write,
    .poll = fake_poll,
};

const struct agpu_device_plugin *fixture_device(void)
{
    return &fake_table;
}
