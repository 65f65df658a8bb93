/* errors.c: error information registers (device.md 4.6). */
#include "tests/device/engine/errors.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/irq.h"
#include "tests/device/engine/engine.h"

void vgpu_error_record(struct vgpu_engine *engine, uint32_t code, uint64_t fence)
{
    struct vgpu_errors *errors = &engine->errors;

    errors->code = code;
    errors->fence = fence;
    if (errors->count != UINT32_MAX) {
        errors->count++;
    }
    engine->bus->stats.errors[code < VGPU_STATS_ERRORS ? code : 0]++;
    vgpu_irq_raise(engine->bus, AEROGPU_IRQ_ERROR);
}
