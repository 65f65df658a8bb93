/* transport.h: how a submission reaches a device and how its completion is seen: the face of a ring towards
 * the memory manager. The versioned ring (ring.h) and the legacy ring (legacy.h) implement it. */
#ifndef AGPU_RING_TRANSPORT_H
#define AGPU_RING_TRANSPORT_H

#include "pci/machine/platform.h"

/* One submission (ring.md 3). Addresses are device addresses; command and table memory stay untouched until
 * the fence completes. cmd and table are both {0, 0} when absent. */
struct agpu_submission {
    uint64_t cmd_address;
    uint32_t cmd_size;
    uint64_t table_address;
    uint32_t table_size;
    /* The table as the CPU sees it, aerogpu_alloc_table_header and entries, for a ring that passes on entries
     * instead of an address (legacy.md 4); read during submit() only. NULL: only the address is known. */
    const void *table;
    uint32_t flags; /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t context_id;
    uint64_t fence; /* value to signal; 0 signals nothing. The caller numbers fences, increasing */
};

struct agpu_transport {
    void *ctx;
    /* True when submit() would find a free slot: asked before a fence number is taken. */
    bool (*has_room)(void *ctx);
    /* Queues one submission and rings the doorbell. AGPU_ERR_BUSY when the ring is full, nothing queued.
     * AGPU_ERR_NO_MEMORY: nothing queued either. */
    enum agpu_status (*submit)(void *ctx, const struct agpu_submission *submission);
    /* Last completed fence, never going backwards between two resets. AGPU_ERR_LOST when the device is
     * gone. */
    enum agpu_status (*completed_fence)(void *ctx, uint64_t *out);
    /* Engine reset and restart (vidmm.md 7): queued work is dropped, the ring is empty and enabled
     * afterwards. */
    enum agpu_status (*reset)(void *ctx);
};

#endif
