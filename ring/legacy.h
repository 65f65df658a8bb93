/* legacy.h: the submission ring of the legacy ("ARGP") device: bring-up, posting, fences (legacy.md 2-4). */
#ifndef AGPU_RING_LEGACY_H
#define AGPU_RING_LEGACY_H

#include "pci/function.h"
#include "pci/machine/platform.h"
#include "ring/transport.h"

#define AGPU_LEGACY_ENTRIES_MAX 4096u

/* Descriptor memory of every entry. A submission with a longer allocation list gets a larger block, which the ring
 * reuses. */
#define AGPU_LEGACY_DESCRIPTOR_BYTES 1024u

/* A running ring. Members are for reading. A test may write into the memory to imitate a broken driver. */
struct agpu_legacy_ring {
    const struct agpu_function *function;
    const struct agpu_platform *platform;
    uint64_t features; /* of agpu_identify() */
    struct agpu_dma entries;
    struct agpu_dma descriptors; /* AGPU_LEGACY_DESCRIPTOR_BYTES for each entry */
    struct agpu_dma *large;      /* one for each entry, size 0 until it is needed */
    uint32_t entry_count;
    uint32_t head; /* as last read */
    uint32_t tail; /* next free entry */

    /* The device's 32-bit fences never wrap and outlive every driver (legacy.md 3), so the ring continues counting from
     * the device's value: number = number_base + (fence - fence_base). */
    bool numbered; /* a fence was posted since the last start or reset */
    uint32_t number_base, number_last, number_seen;
    uint64_t fence_base;
    uint64_t last_submitted, last_completed;
};

/* Brings a ring up on an opened function: allocates memory, disables and acknowledges interrupts, and programs an empty
 * ring of entry_count entries (2 to AGPU_LEGACY_ENTRIES_MAX, 0 = 64). features are those of agpu_identify(). function
 * must outlive the ring. AGPU_ERR_INVALID, _NO_MEMORY, _TIMEOUT (the registers do not accept what is written), _LOST;
 * on error nothing stays allocated. */
enum agpu_status agpu_legacy_start(struct agpu_legacy_ring *ring, const struct agpu_function *function,
                                   uint64_t features, uint32_t entry_count);

/* Takes the ring down, see agpu_legacy_quiesce(). Frees the memory in any case, with bus mastering off. */
enum agpu_status agpu_legacy_stop(struct agpu_legacy_ring *ring);

/* Empties the ring by writing RING_ENTRY_COUNT (legacy.md 2), the closest this ABI has to an engine reset. Queued work
 * is dropped; registers other than the ring's keep their values. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST: the ring is left
 * without entries. */
enum agpu_status agpu_legacy_reset(struct agpu_legacy_ring *ring);

/* Makes a legacy device quiet: no ring, scanout off, interrupts masked and acknowledged. FENCE_COMPLETED keeps its
 * value: nothing resets it. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_legacy_quiesce(const struct agpu_function *function, uint64_t features);

/* ---- posting ---- */

/* Purpose of a submission; the device does not interpret it (legacy.md 4). */
enum agpu_legacy_type { AGPU_LEGACY_RENDER = 1, AGPU_LEGACY_PRESENT = 2, AGPU_LEGACY_PAGING = 3 };

struct agpu_legacy_allocation {
    uint32_t alloc_id;
    uint64_t address;
    uint32_t size;
};

struct agpu_legacy_submission {
    enum agpu_legacy_type type;
    uint64_t cmd_address; /* 0 with size 0: no commands */
    uint32_t cmd_size;
    uint64_t fence; /* value to signal; 0 signals nothing. The caller numbers fences, increasing */
    uint32_t allocation_count;
    /* Returns one allocation of the list; false when it does not fit the descriptor. NULL when there are none. */
    bool (*allocation)(const void *list, uint32_t index, struct agpu_legacy_allocation *out);
    const void *list;
};

/* True when an entry is free. One entry always stays free; otherwise a full ring would look empty. */
bool agpu_legacy_has_room(struct agpu_legacy_ring *ring);
/* Waits, bounded, until an entry is free. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_legacy_wait_room(struct agpu_legacy_ring *ring);

/* Writes descriptor and entry; the device sees them with the next doorbell. AGPU_ERR_BUSY: the ring is full.
 * AGPU_ERR_NO_MEMORY: for a long allocation list. AGPU_ERR_INVALID: a range that wraps, an allocation that does not
 * fit, or a fence before the first one. AGPU_ERR_LOST: the device has no number left for the fence. Nothing is queued
 * on error. */
enum agpu_status agpu_legacy_post(struct agpu_legacy_ring *ring,
                                  const struct agpu_legacy_submission *submission);

/* Publishes the tail and rings the doorbell. */
void agpu_legacy_doorbell(const struct agpu_legacy_ring *ring);

/* For tests: an entry in memory (24 bytes, legacy.md 3), the memory of its descriptor, and advancing the tail past the
 * entry as it was written. */
void *agpu_legacy_entry(const struct agpu_legacy_ring *ring, uint32_t index);
void *agpu_legacy_descriptor(const struct agpu_legacy_ring *ring, uint32_t index, uint64_t *device_address);
void agpu_legacy_push(struct agpu_legacy_ring *ring);

/* Returns FENCE_COMPLETED as the device shows it. */
uint32_t agpu_legacy_fence_number(const struct agpu_function *function);

/* ---- fences ---- */

/* Returns the last completed fence, extended to 64 bits and clamped between the last value seen and the last one
 * submitted. AGPU_ERR_LOST when the device is gone or its fence went backwards, which means that it was reset. */
enum agpu_status agpu_legacy_completed(struct agpu_legacy_ring *ring, uint64_t *out);

/* Waits, bounded, until fence has completed. AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_legacy_wait_fence(struct agpu_legacy_ring *ring, uint64_t fence);

#endif
