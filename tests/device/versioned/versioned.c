/* versioned.c: the versioned ABI behind device.h: its registers, ring, fences and engine as one of two. */
#include "tests/device/abi.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/lifecycle.h"
#include "tests/device/versioned/registers.h"

static bool versioned_pending(const struct vgpu_device *device)
{
    return vgpu_ring_pending(device) || vgpu_fence_ready(&device->fences);
}

static void versioned_service(struct vgpu_device *device)
{
    vgpu_fence_drain(device);
    vgpu_ring_service(device);
    vgpu_fence_drain(device);
}

static void versioned_vblank_edge(struct vgpu_device *device)
{
    vgpu_fence_edge(&device->fences);
}

static void versioned_vblank_stopped(struct vgpu_device *device)
{
    vgpu_fence_release_all(&device->fences);
}

static void versioned_reset(struct vgpu_device *device)
{
    vgpu_reset_engine(device);
    vgpu_exec_reset(device->exec);
    vgpu_irq_set_enable(device, 0);
    vgpu_ring_power_on(&device->ring);
    vgpu_fence_reset(&device->fences);
    device->fences.page_gpa = 0;
}

const struct vgpu_abi vgpu_abi_versioned = {
    .name = "1.4",
    .register_name = vgpu_register_name,
    .read = vgpu_register_read,
    .write = vgpu_register_write,
    .pending = versioned_pending,
    .service = versioned_service,
    .reset = versioned_reset,
    .vblank_edge = versioned_vblank_edge,
    .vblank_stopped = versioned_vblank_stopped,
};
