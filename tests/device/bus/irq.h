/* irq.h: interrupt block: pending causes, mask, and the INTA# line or the messages that replace it (device.md
 * 4.4). */
#ifndef VGPU_BUS_IRQ_H
#define VGPU_BUS_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

/* Records an interrupt cause. ERROR always latches, the others only while enabled. */
void vgpu_irq_raise(struct vgpu_bus *bus, uint32_t cause);

/* Clears pending causes after IRQ_ACK or when a cause goes away. */
void vgpu_irq_clear(struct vgpu_bus *bus, uint32_t causes);

/* Writes the mask. The caller has brought the vblank clock up to date. */
void vgpu_irq_set_enable(struct vgpu_bus *bus, uint32_t enable);

/* Drives the line when its level must change, or sends the message that is due. Call it after any change of
 * status, mask or INTx disable, or of the permission to send messages. */
void vgpu_irq_update_line(struct vgpu_bus *bus);

/* Sends messages for which the machine was not ready. */
void vgpu_irq_send_due(struct vgpu_bus *bus);

#endif
