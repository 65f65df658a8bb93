/* legacy_irq.c: the two interrupt blocks of the legacy device (legacy.md 2). */
#include "ring/legacy_irq.h"

#include "pci/protocol/aerogpu_legacy_pci.h"

/* A cause that is pending again in every round means a faulty device: leave it pending instead of spinning on it. */
#define SERVICE_ROUNDS 8

uint32_t agpu_legacy_int_status(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_LEGACY_REG_INT_STATUS);
}

void agpu_legacy_int_ack(const struct agpu_function *function, uint32_t bits)
{
    agpu_reg_write(function, AEROGPU_LEGACY_REG_INT_ACK, bits);
}

/* Returns the enabled causes of the extension, without FENCE: INT_STATUS latches together with it, and its acknowledge
 * clears both. */
static uint32_t legacy_vblank_pending(const struct agpu_function *function, uint64_t features)
{
    if ((features & AEROGPU_LEGACY_FEATURE_VBLANK) == 0) {
        return 0;
    }
    return agpu_reg_read(function, AEROGPU_LEGACY_REG_IRQ_STATUS) & AEROGPU_LEGACY_IRQ_VBLANK;
}

uint32_t agpu_legacy_irq_service(const struct agpu_function *function, uint64_t features)
{
    uint32_t seen = 0;

    for (unsigned i = 0; i < SERVICE_ROUNDS; i++) {
        uint32_t status = agpu_legacy_int_status(function);
        uint32_t vblank = legacy_vblank_pending(function, features);

        if (status == 0 && vblank == 0) {
            break;
        }
        if (status != 0) {
            agpu_legacy_int_ack(function, status);
        }
        if (vblank != 0) {
            agpu_reg_write(function, AEROGPU_LEGACY_REG_IRQ_ACK, vblank);
        }
        if (status & AEROGPU_LEGACY_INT_FENCE) {
            seen |= AGPU_LEGACY_CAUSE_FENCE;
        }
        if (vblank != 0) {
            seen |= AGPU_LEGACY_CAUSE_VBLANK;
        }
    }
    return seen;
}
