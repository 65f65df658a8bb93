/* lifecycle.c: what a ring reset takes from the engine. */
#include "tests/device/engine/lifecycle.h"

#include "tests/device/device_private.h"

void vgpu_reset_engine(struct vgpu_device *device)
{
    const uint64_t completed = device->fences.completed;

    vgpu_submission_drop(&device->submission);
    vgpu_fence_reset(&device->fences);
    if (device->fault == VGPU_FAULT_RESET_KEEPS_FENCE) {
        device->fences.completed = completed;
    }
    device->errors = (struct vgpu_errors){0};
    if (device->fault != VGPU_FAULT_RESET_KEEPS_RESOURCES) {
        vgpu_exec_reset(device->exec);
    }
    vgpu_irq_clear(device, ~0u);
}
