/* cause.c: records errors and latches causes of interrupts (device.md 4.4, 4.6). */
#include "tests/cases/reference/cause.h"

void agpu_ref_interrupt(struct agpu_ref *ref, uint32_t cause)
{
    if (cause == AEROGPU_IRQ_ERROR || (*agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_ENABLE) & cause) != 0) {
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_STATUS) |= cause;
    }
}

void agpu_ref_error(struct agpu_ref *ref, enum aerogpu_error code, uint64_t fence)
{
    uint32_t *count = agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_COUNT);

    ref->code_open = false;
    if ((ref->config.features & AEROGPU_FEATURE_ERROR_INFO) != 0) {
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_CODE) = (uint32_t)code;
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_FENCE_LO) = (uint32_t)fence;
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_FENCE_HI) = (uint32_t)(fence >> 32);
        *count += *count != UINT32_MAX;
    }
    agpu_ref_interrupt(ref, AEROGPU_IRQ_ERROR);
}
