/* legacy_irq.h: the two interrupt blocks of the legacy device: status, acknowledge, and one pass of an
 * interrupt handler (legacy.md 2). */
#ifndef AGPU_RING_LEGACY_IRQ_H
#define AGPU_RING_LEGACY_IRQ_H

#include "pci/registers.h"

/* Causes, in the bit positions of the versioned device. */
#define AGPU_LEGACY_CAUSE_FENCE  0x1u
#define AGPU_LEGACY_CAUSE_VBLANK 0x2u

/* Returns INT_STATUS, which drives the line without a mask. */
uint32_t agpu_legacy_int_status(const struct agpu_function *function);
void agpu_legacy_int_ack(const struct agpu_function *function, uint32_t bits);

/* Runs one pass of an interrupt handler: reads, acknowledges exactly what was read, and repeats until nothing is left,
 * for at most a few rounds. Returns every cause that was seen. */
uint32_t agpu_legacy_irq_service(const struct agpu_function *function, uint64_t features);

#endif
