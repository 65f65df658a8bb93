/* errors.c: error information registers (device.md 4.6). */
#include "tests/device/engine/errors.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/trace.h"

void vgpu_error_record(struct vgpu_device *device, uint32_t code, uint64_t fence)
{
    struct vgpu_errors *errors = &device->errors;

    errors->code = code;
    errors->fence = fence;
    if (errors->count != UINT32_MAX && device->fault != VGPU_FAULT_ERROR_COUNT_STUCK) {
        errors->count++;
    }
    device->stats.errors[code < VGPU_STATS_ERRORS ? code : 0]++;
    if (fence == 0 && !device->submission.active) {
        vgpu_trace_event(device, "ring_error", code);
    }
    vgpu_irq_raise(device, AEROGPU_IRQ_ERROR);
}
