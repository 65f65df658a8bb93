/* versioned.c: the versioned ABI behind device.h: its registers, ring, fences and engine as one of two. */
#include "tests/device/abi.h"
#include "tests/device/device_private.h"

static bool pending(const struct agpu_device *device)
{
    return agpu_ring_pending(device) || agpu_fence_ready(&device->fences);
}

static void service(struct agpu_device *device)
{
    agpu_fence_drain(device);
    agpu_ring_service(device);
    agpu_fence_drain(device);
}

void agpu_device_engine_reset(struct agpu_device *device)
{
    const uint64_t completed = device->fences.completed;

    agpu_submission_drop(&device->submission);
    agpu_fence_reset(&device->fences);
    if (device->fault == AGPU_FAULT_RESET_KEEPS_FENCE) {
        device->fences.completed = completed;
    }
    device->errors = (struct agpu_errors){0};
    if (device->fault != AGPU_FAULT_RESET_KEEPS_RESOURCES) {
        agpu_exec_reset(device->exec);
    }
    agpu_irq_clear(device, ~0u);
}

static void reset(struct agpu_device *device)
{
    agpu_device_engine_reset(device);
    agpu_exec_reset(device->exec);
    agpu_irq_set_enable(device, 0);
    agpu_ring_power_on(&device->ring);
    agpu_fence_reset(&device->fences);
    device->fences.page_gpa = 0;
}

const struct agpu_abi agpu_abi_versioned = {
    .name = "1.4",
    .register_name = agpu_register_name,
    .read = agpu_register_read,
    .write = agpu_register_write,
    .pending = pending,
    .service = service,
    .reset = reset,
};
