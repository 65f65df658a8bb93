/* irq.h: interrupt block: pending causes, mask and the INTA# line (device.md 4.4). */
#ifndef AGPU_TESTS_DEVICE_IRQ_H
#define AGPU_TESTS_DEVICE_IRQ_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_device;

struct agpu_irq {
    uint32_t status;
    uint32_t enable;
    uint32_t unmasked; /* legacy: INT_STATUS, drives the line whatever enable says */
    bool line;         /* as last driven */
};

/* A cause occurred. ERROR latches always, the others only while enabled. */
void agpu_irq_raise(struct agpu_device *device, uint32_t cause);

/* Clears pending causes: IRQ_ACK, or a cause that went away. */
void agpu_irq_clear(struct agpu_device *device, uint32_t causes);

/* Writes the mask; the vblank clock has been caught up before. */
void agpu_irq_set_enable(struct agpu_device *device, uint32_t enable);

/* Drives the line when it differs from what it should be: after any change of status, mask or INTx disable.
 */
void agpu_irq_update_line(struct agpu_device *device);

#endif
