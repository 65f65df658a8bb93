/* irq.h: the interrupt block: status, mask, acknowledge, and one pass of an interrupt handler
 * (device.md 4.4). */
#ifndef AGPU_RING_IRQ_H
#define AGPU_RING_IRQ_H

#include "pci/registers.h"

/* Returns the pending causes, AEROGPU_IRQ_*. */
uint32_t agpu_irq_status(const struct agpu_function *function);

/* Clears exactly these causes. */
void agpu_irq_ack(const struct agpu_function *function, uint32_t causes);

/* Sets the mask. Clearing FENCE or VBLANK also clears that pending cause in the device; ERROR stays
 * pending. */
void agpu_irq_enable(const struct agpu_function *function, uint32_t mask);

/* Runs one pass of an interrupt handler: reads, acknowledges exactly what was read, and repeats until no cause is left,
 * for at most a few rounds. Returns every cause that was seen. Masked causes are read and acknowledged too. Bits
 * without a meaning are acknowledged, and are no cause. */
uint32_t agpu_irq_service(const struct agpu_function *function);

#endif
