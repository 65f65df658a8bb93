/* fake_device.c: the device of the vfio-user tests: storage in place of behaviour. */
#include "tests/unit/vfio/fake_device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct fake_device *current;

struct fake_device *fake_device(void)
{
    return current;
}

/* The server has no other device than these. */
static struct fake_device *fake_of(struct vgpu_device *handle)
{
    return (struct fake_device *)handle;
}

struct vgpu_device *vgpu_device_create(const struct vgpu_device_machine *machine,
                                       const struct vgpu_device_config *config)
{
    struct fake_device *device;

    if (config->fault != NULL) { /* this device knows none */
        return NULL;
    }
    device = calloc(1, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->machine = *machine;
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
    current = device;
    return (struct vgpu_device *)device;
}

void vgpu_device_destroy(struct vgpu_device *handle)
{
    struct fake_device *device = fake_of(handle);

    munmap(device->vram, FAKE_VRAM_BYTES);
    close(device->vram_fd);
    free(device);
    current = NULL;
}

void vgpu_device_reset(struct vgpu_device *handle)
{
    struct fake_device *device = fake_of(handle);

    device->reset_count++;
    device->doorbell = false;
    device->deadline = UINT64_MAX;
    device->machine.set_intx(device->machine.ctx, false);
}

uint32_t vgpu_device_config_read(struct vgpu_device *handle, uint32_t offset, uint32_t size)
{
    struct fake_device *device = fake_of(handle);
    uint32_t value = 0;

    memcpy(&value, device->config + offset, size);
    return value;
}

void vgpu_device_config_write(struct vgpu_device *handle, uint32_t offset, uint32_t size, uint32_t value)
{
    struct fake_device *device = fake_of(handle);

    memcpy(device->config + offset, &value, size);
}

uint64_t vgpu_device_bar_read(struct vgpu_device *handle, enum vgpu_bar bar, uint64_t offset, uint32_t size)
{
    struct fake_device *device = fake_of(handle);
    const uint8_t *bytes = bar == VGPU_BAR_VRAM ? device->vram : (const uint8_t *)device->registers;
    uint64_t value = 0;

    device->last_size = bar == VGPU_BAR_VRAM ? device->last_size : size;
    memcpy(&value, bytes + offset, size);
    return value;
}

void vgpu_device_bar_write(struct vgpu_device *handle, enum vgpu_bar bar, uint64_t offset, uint32_t size,
                           uint64_t value)
{
    struct fake_device *device = fake_of(handle);

    if (bar == VGPU_BAR_VRAM) {
        memcpy(device->vram + offset, &value, size);
        return;
    }
    device->last_size = size;
    memcpy((uint8_t *)device->registers + offset, &value, size);
    if (offset == FAKE_DOORBELL) {
        device->doorbell = true;
    } else if (offset == FAKE_ACK) {
        device->machine.set_intx(device->machine.ctx, false);
    } else if (offset == FAKE_TIMER) {
        device->deadline = device->machine.now_ns(device->machine.ctx) + value;
    }
}

static void ring(struct fake_device *device)
{
    const uint64_t target =
        (uint64_t)device->registers[FAKE_TARGET_HI / 4] << 32 | device->registers[FAKE_TARGET_LO / 4];
    void *place = device->machine.dma_pointer(device->machine.ctx, target, 4, true);
    device->last_dma_failed = place == NULL;
    if (place != NULL) {
        memcpy(place, &device->registers[FAKE_DOORBELL / 4], 4);
    }
    device->machine.set_intx(device->machine.ctx, true);
}

uint64_t vgpu_device_service(struct vgpu_device *handle)
{
    struct fake_device *device = fake_of(handle);

    device->service_count++;
    if (device->doorbell) {
        device->doorbell = false;
        ring(device);
    }
    if (device->deadline <= device->machine.now_ns(device->machine.ctx)) {
        device->deadline = UINT64_MAX;
        device->machine.set_intx(device->machine.ctx, true);
    }
    return device->deadline;
}

bool vgpu_device_needs_service(const struct vgpu_device *handle)
{
    const struct fake_device *device = (const struct fake_device *)handle;

    return device->doorbell;
}

struct vgpu_device_vram vgpu_device_vram(struct vgpu_device *handle)
{
    struct fake_device *device = fake_of(handle);
    const struct vgpu_device_vram vram = {device->vram_fd, device->vram, FAKE_VRAM_BYTES};

    return vram;
}
