/* ring.h: ring and submissions of the legacy device (legacy.md 3, 4). */
#ifndef VGPU_LEGACY_RING_H
#define VGPU_LEGACY_RING_H

#include "tests/device/legacy/legacy_private.h"

/* Writes ENTRY_COUNT, which also sets head = tail = 0 and drops work in progress. */
void vgpu_legacy_ring_set_entry_count(struct vgpu_legacy *legacy, uint32_t count);
void vgpu_legacy_ring_doorbell(struct vgpu_legacy *legacy);
bool vgpu_legacy_ring_pending(const struct vgpu_legacy *legacy);
/* Consumes the doorbell and its entries within the work budget. Needs Bus Master. */
void vgpu_legacy_ring_service(struct vgpu_legacy *legacy);

#endif
