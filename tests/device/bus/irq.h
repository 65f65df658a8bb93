/* irq.h: interrupt block: pending causes, mask, and the INTA# line or the message in its place (device.md 4.4). */
#ifndef VGPU_BUS_IRQ_H
#define VGPU_BUS_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

/* A cause occurred. ERROR latches always, the others only while enabled. */
void vgpu_irq_raise(struct vgpu_bus *bus, uint32_t cause);

/* Clears pending causes: IRQ_ACK, or a cause that went away. */
void vgpu_irq_clear(struct vgpu_bus *bus, uint32_t causes);

/* Writes the mask; the vblank clock has been caught up before. */
void vgpu_irq_set_enable(struct vgpu_bus *bus, uint32_t enable);

/* Drives the line when it differs from what it should be, or sends the message that is due: after any change of status,
 * mask, INTx disable, or of what messages may be sent. */
void vgpu_irq_update_line(struct vgpu_bus *bus);

/* Sends a message that the machine was not ready for. */
void vgpu_irq_send_due(struct vgpu_bus *bus);

#endif
