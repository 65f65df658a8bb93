/* irq.c: interrupt block (device.md 4.4). */
#include "tests/device/bus/irq.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/capabilities.h"
#include "tests/device/bus/bus.h"

static bool send_message(struct vgpu_bus *bus)
{
    const struct vgpu_device_machine *machine = &bus->machine;

    return machine->send_message != NULL && machine->send_message(machine->ctx, 0);
}

/* Sends a message for each cause that became active since the last one. A message that cannot be sent now
 * stays due until it can be sent or its cause is gone. */
void vgpu_irq_send_due(struct vgpu_bus *bus)
{
    struct vgpu_irq *irq = &bus->irq;
    const uint32_t causes = irq->status & irq->enable;
    const enum vgpu_message_state state = vgpu_message_state(&bus->config);

    irq->sent = state == VGPU_MESSAGE_OFF ? 0 : irq->sent & causes;
    if (state == VGPU_MESSAGE_READY && (causes & ~irq->sent) != 0 && vgpu_bus_master(bus) &&
        send_message(bus)) {
        irq->sent = causes;
        bus->stats.interrupts++;
    }
    bus->config.msix_pending = state == VGPU_MESSAGE_MASKED && (causes & ~irq->sent) != 0;
}

void vgpu_irq_update_line(struct vgpu_bus *bus)
{
    struct vgpu_irq *irq = &bus->irq;
    const bool line = ((irq->status & irq->enable) | irq->unmasked) != 0 &&
                      !vgpu_config_space_has(&bus->config, VGPU_CONFIG_COMMAND_INTX_OFF) &&
                      vgpu_message_state(&bus->config) == VGPU_MESSAGE_OFF;

    if (line != irq->line) {
        irq->line = line;
        bus->stats.interrupts += line;
        bus->machine.set_intx(bus->machine.ctx, line);
    }
    vgpu_irq_send_due(bus);
}

void vgpu_irq_raise(struct vgpu_bus *bus, uint32_t cause)
{
    struct vgpu_irq *irq = &bus->irq;

    if (cause == AEROGPU_IRQ_ERROR || (irq->enable & cause) != 0) {
        irq->status |= cause;
        vgpu_irq_update_line(bus);
    }
}

void vgpu_irq_clear(struct vgpu_bus *bus, uint32_t causes)
{
    bus->irq.status &= ~causes;
    vgpu_irq_update_line(bus);
}

void vgpu_irq_set_enable(struct vgpu_bus *bus, uint32_t enable)
{
    struct vgpu_irq *irq = &bus->irq;

    if ((enable & AEROGPU_IRQ_FENCE) == 0) {
        irq->status &= ~AEROGPU_IRQ_FENCE;
    }
    /* Also at 0 -> 1: an edge that was due before the write must not interrupt. */
    if ((enable & AEROGPU_IRQ_SCANOUT_VBLANK) == 0 || (irq->enable & AEROGPU_IRQ_SCANOUT_VBLANK) == 0) {
        irq->status &= ~AEROGPU_IRQ_SCANOUT_VBLANK;
    }
    irq->enable = enable;
    vgpu_irq_update_line(bus);
}
