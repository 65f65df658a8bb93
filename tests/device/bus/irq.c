/* irq.c: interrupt block (device.md 4.4). */
#include "tests/device/bus/irq.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"

void vgpu_irq_update_line(struct vgpu_device *device)
{
    struct vgpu_irq *irq = &device->irq;
    const uint32_t enable = device->fault == VGPU_FAULT_IRQ_NOT_MASKED ? ~0u : irq->enable;
    const bool line = ((irq->status & enable) | irq->unmasked) != 0 &&
                      !vgpu_config_space_has(&device->config, VGPU_CONFIG_COMMAND_INTX_OFF);

    if (line != irq->line) {
        irq->line = line;
        device->stats.interrupts += line;
        device->machine.set_intx(device->machine.ctx, line);
    }
}

void vgpu_irq_raise(struct vgpu_device *device, uint32_t cause)
{
    struct vgpu_irq *irq = &device->irq;

    if (cause == AEROGPU_IRQ_ERROR || (irq->enable & cause) != 0) {
        irq->status |= cause;
        vgpu_irq_update_line(device);
    }
}

void vgpu_irq_clear(struct vgpu_device *device, uint32_t causes)
{
    device->irq.status &= ~causes;
    vgpu_irq_update_line(device);
}

void vgpu_irq_set_enable(struct vgpu_device *device, uint32_t enable)
{
    struct vgpu_irq *irq = &device->irq;

    if ((enable & AEROGPU_IRQ_FENCE) == 0) {
        irq->status &= ~AEROGPU_IRQ_FENCE;
    }
    /* Also at 0 -> 1: no interrupt for an edge that was due before the write. */
    if ((enable & AEROGPU_IRQ_SCANOUT_VBLANK) == 0 || (irq->enable & AEROGPU_IRQ_SCANOUT_VBLANK) == 0) {
        irq->status &= ~AEROGPU_IRQ_SCANOUT_VBLANK;
    }
    irq->enable = enable;
    vgpu_irq_update_line(device);
}
