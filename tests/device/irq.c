/* irq.c: interrupt block (device.md 4.4). */
#include "tests/device/irq.h"

#include "pci/aerogpu_pci.h"
#include "tests/device/device_private.h"

void agpu_irq_update_line(struct agpu_device *device)
{
    struct agpu_irq *irq = &device->irq;
    const uint32_t enable = device->fault == AGPU_FAULT_IRQ_NOT_MASKED ? ~0u : irq->enable;
    const bool line = ((irq->status & enable) | irq->unmasked) != 0 &&
                      !agpu_config_space_has(&device->config, AGPU_CONFIG_COMMAND_INTX_OFF);

    if (line != irq->line) {
        irq->line = line;
        device->stats.interrupts += line;
        device->machine.set_intx(device->machine.ctx, line);
    }
}

void agpu_irq_raise(struct agpu_device *device, uint32_t cause)
{
    struct agpu_irq *irq = &device->irq;

    if (cause == AEROGPU_IRQ_ERROR || (irq->enable & cause) != 0 ||
        device->fault == AGPU_FAULT_IRQ_NOT_MASKED) {
        irq->status |= cause;
        agpu_irq_update_line(device);
    }
}

void agpu_irq_clear(struct agpu_device *device, uint32_t causes)
{
    device->irq.status &= ~causes;
    agpu_irq_update_line(device);
}

void agpu_irq_set_enable(struct agpu_device *device, uint32_t enable)
{
    struct agpu_irq *irq = &device->irq;

    if ((enable & AEROGPU_IRQ_FENCE) == 0) {
        irq->status &= ~AEROGPU_IRQ_FENCE;
    }
    /* Also at 0 -> 1: no interrupt for an edge that was due before the write. */
    if ((enable & AEROGPU_IRQ_SCANOUT_VBLANK) == 0 || (irq->enable & AEROGPU_IRQ_SCANOUT_VBLANK) == 0) {
        irq->status &= ~AEROGPU_IRQ_SCANOUT_VBLANK;
    }
    irq->enable = enable;
    agpu_irq_update_line(device);
}
