/* irq.h: interrupt block: pending causes, mask, and the INTA# line or the message in its place (device.md 4.4). */
#ifndef VGPU_BUS_IRQ_H
#define VGPU_BUS_IRQ_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_device;

struct vgpu_irq {
    uint32_t status;
    uint32_t enable;
    uint32_t unmasked; /* legacy: INT_STATUS, drives the line whatever enable says */
    bool line;         /* as last driven */
    uint32_t sent;     /* of the causes that are up: those whose message is out */
    uint32_t messages; /* for a fault that loses some */
    uint32_t raised;   /* the same */
    uint32_t lost;     /* causes that nobody is told of, by such a fault */
};

/* A cause occurred. ERROR latches always, the others only while enabled. */
void vgpu_irq_raise(struct vgpu_device *device, uint32_t cause);

/* Clears pending causes: IRQ_ACK, or a cause that went away. */
void vgpu_irq_clear(struct vgpu_device *device, uint32_t causes);

/* Writes the mask; the vblank clock has been caught up before. */
void vgpu_irq_set_enable(struct vgpu_device *device, uint32_t enable);

/* Drives the line when it differs from what it should be, or sends the message that is due: after any change of status,
 * mask, INTx disable, or of what messages may be sent. */
void vgpu_irq_update_line(struct vgpu_device *device);

/* Sends a message that the machine was not ready for. */
void vgpu_irq_send_due(struct vgpu_device *device);

#endif
