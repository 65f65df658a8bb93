/* irq.c: interrupt block of the legacy device (legacy.md 2): INT_STATUS, unmasked, and the extension of the
 * models, IRQ_STATUS behind IRQ_ENABLE. */
#include "tests/device/irq.h"

#include "pci/aerogpu_legacy.h"
#include "tests/device/legacy/legacy_private.h"

/* Bits of the extension, which the legacy header does not name. */
#define IRQ_FENCE  0x1u
#define IRQ_VBLANK 0x2u

void agpu_legacy_irq_fence(struct agpu_legacy *legacy)
{
    struct agpu_irq *irq = legacy->shared.irq;

    irq->unmasked |= AEROGPU_INT_FENCE;
    irq->status |= IRQ_FENCE; /* also when masked */
    agpu_irq_update_line(legacy->shared.device);
}

void agpu_legacy_irq_int_ack(struct agpu_legacy *legacy, uint32_t value)
{
    struct agpu_irq *irq = legacy->shared.irq;

    irq->unmasked &= ~value;
    if ((value & AEROGPU_INT_FENCE) != 0) {
        irq->status &= ~IRQ_FENCE;
    }
    agpu_irq_update_line(legacy->shared.device);
}

void agpu_legacy_irq_ack(struct agpu_legacy *legacy, uint32_t value)
{
    legacy->shared.irq->status &= ~value; /* INT_STATUS goes on driving the line */
    agpu_irq_update_line(legacy->shared.device);
}

void agpu_legacy_irq_set_enable(struct agpu_legacy *legacy, uint32_t value)
{
    struct agpu_irq *irq = legacy->shared.irq;

    if ((value & IRQ_VBLANK) == 0) {
        irq->status &= ~IRQ_VBLANK;
    }
    irq->enable = value;
    agpu_irq_update_line(legacy->shared.device);
}

void agpu_legacy_irq_power_on(struct agpu_legacy *legacy)
{
    struct agpu_irq *irq = legacy->shared.irq;

    irq->status = 0;
    irq->enable = 0;
    irq->unmasked = 0;
    agpu_irq_update_line(legacy->shared.device);
}
