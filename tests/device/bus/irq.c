/* irq.c: interrupt block (device.md 4.4). */
#include "tests/device/bus/irq.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/capabilities.h"
#include "tests/device/device_private.h"

/* True when the message is out, or by a deliberate fault taken for it. */
static bool send_message(struct vgpu_device *device)
{
    const struct vgpu_device_machine *machine = &device->machine;

    if (device->fault == VGPU_FAULT_MESSAGE_LOST && ++device->irq.messages % device->fault_parameter == 0) {
        return true;
    }
    return machine->send_message != NULL && machine->send_message(machine->ctx, 0);
}

/* A message for each cause that came up since the last one. What cannot be sent now stays due, and is sent when it can
 * unless its cause is gone by then. */
void vgpu_irq_send_due(struct vgpu_device *device)
{
    struct vgpu_irq *irq = &device->irq;
    const uint32_t causes = irq->status & irq->enable & ~irq->lost;
    enum vgpu_message_state state = vgpu_message_state(&device->config);

    if (state == VGPU_MESSAGE_MASKED && device->fault == VGPU_FAULT_MESSAGE_UNMASKED) {
        state = VGPU_MESSAGE_READY;
    }
    irq->sent = state == VGPU_MESSAGE_OFF ? 0 : irq->sent & causes;
    if (state == VGPU_MESSAGE_READY && (causes & ~irq->sent) != 0 && vgpu_device_bus_master(device) &&
        send_message(device)) {
        irq->sent = causes;
        device->stats.interrupts++;
    }
    device->config.msix_pending = state == VGPU_MESSAGE_MASKED && (causes & ~irq->sent) != 0;
    if (state == VGPU_MESSAGE_MASKED && device->fault == VGPU_FAULT_MESSAGE_FORGOTTEN) {
        irq->sent = causes;
    }
}

static bool goes_by_message(const struct vgpu_device *device)
{
    return vgpu_message_state(&device->config) != VGPU_MESSAGE_OFF &&
           device->fault != VGPU_FAULT_MESSAGE_AND_LINE;
}

void vgpu_irq_update_line(struct vgpu_device *device)
{
    struct vgpu_irq *irq = &device->irq;
    const uint32_t enable = device->fault == VGPU_FAULT_IRQ_NOT_MASKED ? ~0u : irq->enable & ~irq->lost;
    const bool line = ((irq->status & enable) | irq->unmasked) != 0 &&
                      !vgpu_config_space_has(&device->config, VGPU_CONFIG_COMMAND_INTX_OFF) &&
                      !goes_by_message(device);

    if (device->fault == VGPU_FAULT_IRQ_STUCK && irq->line) {
        return;
    }
    if (line != irq->line) {
        irq->line = line;
        device->stats.interrupts += line;
        device->machine.set_intx(device->machine.ctx, line);
    }
    vgpu_irq_send_due(device);
}

void vgpu_irq_raise(struct vgpu_device *device, uint32_t cause)
{
    struct vgpu_irq *irq = &device->irq;

    if (cause == AEROGPU_IRQ_ERROR || (irq->enable & cause) != 0) {
        if (device->fault == VGPU_FAULT_IRQ_LOST && ++irq->raised % device->fault_parameter == 0) {
            irq->lost |= cause;
        }
        irq->status |= cause;
        vgpu_irq_update_line(device);
    }
}

void vgpu_irq_clear(struct vgpu_device *device, uint32_t causes)
{
    device->irq.lost &= ~causes;
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
