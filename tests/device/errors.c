/* errors.c: error information registers (device.md 4.6). */
#include "tests/device/errors.h"

#include "pci/aerogpu_pci.h"
#include "tests/device/device_private.h"

void agpu_error_record(struct agpu_device *device, uint32_t code, uint64_t fence)
{
    struct agpu_errors *errors = &device->errors;

    errors->code = code;
    errors->fence = fence;
    if (errors->count != UINT32_MAX && device->fault != AGPU_FAULT_ERROR_COUNT_STUCK) {
        errors->count++;
    }
    agpu_irq_raise(device, AEROGPU_IRQ_ERROR);
}
