/* fence.h: completion of fences: COMPLETED_FENCE, the fence page, and the queue of fences that wait for
 * vsync-held presents (ring.md 4, 5, 7). */
#ifndef VGPU_ENGINE_FENCE_H
#define VGPU_ENGINE_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/engine.h"

/* True when vgpu_fence_signal() has room for one more. */
bool vgpu_fence_has_room(const struct vgpu_fences *fences);

/* Call when a submission has finished: completes its fence now, or queues it after held fences. value 0
 * signals nothing. */
void vgpu_fence_signal(struct vgpu_engine *engine, uint64_t value, bool wants_irq, bool held);

/* Call at a vblank edge: releases the first held fence. */
void vgpu_fence_edge(struct vgpu_fences *fences);

/* Call when scanout was disabled: releases every held fence. */
void vgpu_fence_release_all(struct vgpu_fences *fences);

/* True when vgpu_fence_drain() would complete something. */
bool vgpu_fence_ready(const struct vgpu_fences *fences);

/* Completes all fences in front of the first held one, as one step. Needs Bus Master. */
void vgpu_fence_drain(struct vgpu_engine *engine);

/* Writes the fence page from COMPLETED_FENCE, value last. Needs Bus Master. */
void vgpu_fence_write_page(struct vgpu_engine *engine);

/* Register part of a ring reset: no fence completed, none queued. */
void vgpu_fence_reset(struct vgpu_fences *fences);

/* Visits the completed and the queued fences for save and restore. */
void vgpu_fence_visit(struct vgpu_fences *fences, struct vgpu_archive *archive);

#endif
