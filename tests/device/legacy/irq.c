/* irq.c: interrupt block of the legacy device (legacy.md 2): INT_STATUS, which has no mask, and the extension
 * of the models, IRQ_STATUS masked by IRQ_ENABLE. */
#include "tests/device/legacy/irq.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/bus/irq.h"

/* Bits of the extension, which the legacy header does not name. */
#define IRQ_FENCE  0x1u
#define IRQ_VBLANK 0x2u

void vgpu_legacy_irq_fence(struct vgpu_legacy *legacy)
{
    struct vgpu_irq *irq = &legacy->bus->irq;

    irq->unmasked |= AEROGPU_LEGACY_INT_FENCE;
    irq->status |= IRQ_FENCE; /* latches also when masked */
    vgpu_irq_update_line(legacy->bus);
}

void vgpu_legacy_irq_int_ack(struct vgpu_legacy *legacy, uint32_t value)
{
    struct vgpu_irq *irq = &legacy->bus->irq;

    irq->unmasked &= ~value;
    if ((value & AEROGPU_LEGACY_INT_FENCE) != 0) {
        irq->status &= ~IRQ_FENCE;
    }
    vgpu_irq_update_line(legacy->bus);
}

void vgpu_legacy_irq_ack(struct vgpu_legacy *legacy, uint32_t value)
{
    legacy->bus->irq.status &= ~value; /* INT_STATUS still drives the line */
    vgpu_irq_update_line(legacy->bus);
}

void vgpu_legacy_irq_set_enable(struct vgpu_legacy *legacy, uint32_t value)
{
    struct vgpu_irq *irq = &legacy->bus->irq;

    if ((value & IRQ_VBLANK) == 0) {
        irq->status &= ~IRQ_VBLANK;
    }
    irq->enable = value;
    vgpu_irq_update_line(legacy->bus);
}

void vgpu_legacy_irq_power_on(struct vgpu_legacy *legacy)
{
    struct vgpu_irq *irq = &legacy->bus->irq;

    irq->status = 0;
    irq->enable = 0;
    irq->unmasked = 0;
    vgpu_irq_update_line(legacy->bus);
}
