/* fence.h: how far the device has come: fence page and COMPLETED_FENCE (ring.md 4, 5). */
#ifndef AGPU_RING_FENCE_H
#define AGPU_RING_FENCE_H

#include "ring/ring.h"

/* Raw completed_fence of the fence page, one 64-bit load; 0 when the ring runs without a page. */
uint64_t agpu_fence_page_value(const struct agpu_ring *ring);

/* Raw COMPLETED_FENCE registers. */
uint64_t agpu_fence_mmio_value(const struct agpu_function *function);

/* Last completed fence. The page is believed while it lies between the last value seen and the last one
 * submitted; otherwise the registers decide, being the authority (ring.md 5), and a value outside that range
 * is clamped to it. Never goes backwards between two resets. AGPU_ERR_LOST when the device is gone. */
enum agpu_status agpu_fence_completed(struct agpu_ring *ring, uint64_t *out);

/* Waits, bounded, until fence has completed. Registers are looked at now and then, so that a page which is
 * not written does not matter. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_fence_wait(struct agpu_ring *ring, uint64_t fence);

#endif
