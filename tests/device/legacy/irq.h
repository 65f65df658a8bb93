/* irq.h: interrupt block of the legacy device (legacy.md 2). */
#ifndef VGPU_LEGACY_IRQ_H
#define VGPU_LEGACY_IRQ_H

#include "tests/device/legacy/legacy_private.h"

/* INT_STATUS always drives the line; the extension also does, if its mask allows it. */
void vgpu_legacy_irq_fence(struct vgpu_legacy *legacy);
void vgpu_legacy_irq_int_ack(struct vgpu_legacy *legacy, uint32_t value);
void vgpu_legacy_irq_ack(struct vgpu_legacy *legacy, uint32_t value);
void vgpu_legacy_irq_set_enable(struct vgpu_legacy *legacy, uint32_t value);
void vgpu_legacy_irq_power_on(struct vgpu_legacy *legacy);

#endif
