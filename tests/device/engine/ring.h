/* ring.h: the submission ring: control register, doorbell, batches of entries, reset (ring.md 1, 2;
 * device.md 4.2). */
#ifndef VGPU_ENGINE_RING_H
#define VGPU_ENGINE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/engine.h"

/* Writes of RING_CONTROL and DOORBELL. */
void vgpu_ring_control(struct vgpu_engine *engine, uint32_t value);
void vgpu_ring_doorbell(struct vgpu_engine *engine);

/* True when vgpu_ring_service() has something to do. */
bool vgpu_ring_pending(const struct vgpu_engine *engine);

/* Does the memory part of a reset, consumes the doorbell and runs the entries of the batch, limited by the
 * work budget and the room for fences. Needs Bus Master. */
void vgpu_ring_service(struct vgpu_engine *engine);

/* Device reset: restores the power-on state. */
void vgpu_ring_power_on(struct vgpu_ring *ring);

/* Visits the ring and its batch for save and restore. */
void vgpu_ring_visit(struct vgpu_ring *ring, struct vgpu_archive *archive);

#endif
