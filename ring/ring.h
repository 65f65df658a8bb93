/* ring.h: the submission ring of the versioned device: bring-up, reset, posting, doorbell, fences (ring.md
 * 1-5, device.md 4.2). */
#ifndef AGPU_RING_RING_H
#define AGPU_RING_RING_H

#include "pci/function.h"
#include "pci/machine/platform.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/transport.h"

/* Layout of a ring; a zero member selects its default. */
struct agpu_ring_config {
    uint32_t entry_count;  /* power of two; default 64 */
    uint32_t entry_stride; /* bytes, multiple of 64; default 64 */
    uint32_t first_index;  /* initial head and tail: lets a test start near 2^32 */
    bool no_fence_page;    /* use MMIO fences only, as on a device without the feature */
};

/* A running ring. Members are for reading. A test may write into memory.cpu to imitate a broken driver. */
struct agpu_ring {
    const struct agpu_function *function;
    const struct agpu_platform *platform;
    struct agpu_dma memory; /* header and slots */
    struct agpu_dma page;   /* fence page; size and addresses 0: none */
    bool offers_page;       /* the device has the feature, so the register is written also without a page */
    uint32_t entry_count;
    uint32_t entry_stride;
    uint32_t first_index;
    uint32_t tail;           /* next index to post */
    uint64_t last_submitted; /* highest fence posted since the last reset */
    uint64_t last_completed; /* highest fence seen completed since the last reset */
};

/* Brings a ring up on an opened function, whatever another driver has left in it (device.md 6). Follows device.md
 * 6.2-6.5: memory, addresses, reset (waits for its effect on memory), header and fence page, enable. features are those
 * of agpu_identify(). function must outlive the ring. AGPU_ERR_INVALID, _NO_MEMORY, _TIMEOUT (no sign of the reset),
 * _LOST; on error nothing stays allocated, and the device has no address of the ring. */
enum agpu_status agpu_ring_start(struct agpu_ring *ring, const struct agpu_function *function,
                                 uint64_t features, const struct agpu_ring_config *config);

/* Takes the ring down (device.md 6, shutdown): interrupts off, reset, addresses 0, then frees the memory. If the device
 * did not answer, bus mastering is off while the memory is freed, so that the device cannot write into it. Returns the
 * result of the reset; the memory is freed in any case. */
enum agpu_status agpu_ring_stop(struct agpu_ring *ring);

/* The same without freeing, for a driver that leaves D0 (vidmm.md 7). AGPU_ERR_TIMEOUT, AGPU_ERR_LOST: no sign of the
 * reset; the addresses are 0 all the same. */
enum agpu_status agpu_ring_suspend(const struct agpu_ring *ring);

/* Starts the ring again in its memory, empty at first_index and with interrupts masked. On error as
 * agpu_ring_suspend(). */
enum agpu_status agpu_ring_resume(struct agpu_ring *ring);

/* Runs the reset sequence of device.md 4.2, then enables an empty ring at first_index. Queued work is dropped and its
 * fences never complete; all device objects are gone. AGPU_ERR_TIMEOUT or AGPU_ERR_LOST: the ring is left disabled. */
enum agpu_status agpu_ring_reset(struct agpu_ring *ring);

/* True when a slot is free, according to the head in memory, which the device writes. */
bool agpu_ring_has_room(const struct agpu_ring *ring);

/* Waits, bounded, until a slot is free. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_ring_wait_room(const struct agpu_ring *ring);

/* Posts one descriptor into the next slot and advances the tail, without a doorbell. AGPU_ERR_BUSY when the ring is
 * full. */
enum agpu_status agpu_ring_post_desc(struct agpu_ring *ring, const struct aerogpu_submit_desc *desc);

/* Builds the descriptor of a submission (ring.md 3). AGPU_ERR_INVALID when only one of address and size is zero, or a
 * range wraps. */
enum agpu_status agpu_ring_describe(const struct agpu_submission *submission,
                                    struct aerogpu_submit_desc *out);

/* Posts one submission, without a doorbell. AGPU_ERR_INVALID as above, AGPU_ERR_BUSY. */
enum agpu_status agpu_ring_post(struct agpu_ring *ring, const struct agpu_submission *submission);

/* Rings the doorbell: the device reads the tail and fetches. One doorbell serves all entries posted before it. */
void agpu_doorbell(const struct agpu_ring *ring);

/* Head and tail words in memory, and the ring header itself. */
uint32_t agpu_ring_head(const struct agpu_ring *ring);
struct aerogpu_ring_header *agpu_ring_header(const struct agpu_ring *ring);

/* ---- fences (ring.md 4, 5) ---- */

/* Raw completed_fence of the fence page, one 64-bit load; 0 when the ring runs without a page. */
uint64_t agpu_fence_page_value(const struct agpu_ring *ring);

/* Raw COMPLETED_FENCE registers. */
uint64_t agpu_fence_mmio_value(const struct agpu_function *function);

/* Returns the last completed fence. The value of the page counts while it lies between the last value seen and the last
 * one submitted. Otherwise the registers decide (ring.md 5), clamped to that range. Never goes backwards between two
 * resets. AGPU_ERR_LOST when the device is gone. */
enum agpu_status agpu_fence_completed(struct agpu_ring *ring, uint64_t *out);

/* Waits, bounded, until fence has completed. Polls the registers from time to time, so that a page which the device
 * does not write is harmless. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_fence_wait(struct agpu_ring *ring, uint64_t fence);

#endif
