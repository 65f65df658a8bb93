/* transport.h: the interface between the memory manager and a ring: submit work, query its completion. The versioned
 * ring (ring.h) and the legacy ring (legacy.h) implement it. */
#ifndef AGPU_RING_TRANSPORT_H
#define AGPU_RING_TRANSPORT_H

#include "pci/machine/platform.h"

/* One submission (ring.md 3). Addresses are device addresses. Command and table memory must not change until the fence
 * completes. cmd and table are both {0, 0} when absent. */
struct agpu_submission {
    uint64_t cmd_address;
    uint32_t cmd_size;
    uint64_t table_address;
    uint32_t table_size;
    /* CPU address of the table (aerogpu_alloc_table_header and entries), for a ring that passes on entries instead of
     * an address (legacy.md 4). Read during submit() only. NULL: only the device address is known. */
    const void *table;
    uint32_t flags; /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t context_id;
    uint64_t fence; /* value to signal; 0 signals nothing. The caller numbers fences, increasing */
};

struct agpu_transport {
    void *ctx;
    /* True when submit() would find a free slot. The caller asks before it takes a fence number. */
    bool (*has_room)(void *ctx);
    /* Queues one submission and rings the doorbell. On error nothing is queued: AGPU_ERR_BUSY when the ring is full,
     * AGPU_ERR_NO_MEMORY. */
    enum agpu_status (*submit)(void *ctx, const struct agpu_submission *submission);
    /* Returns the last completed fence, which never goes backwards between two resets. AGPU_ERR_LOST when the device is
     * gone. */
    enum agpu_status (*completed_fence)(void *ctx, uint64_t *out);
    /* Resets and restarts the engine (vidmm.md 7): queued work is dropped; afterwards the ring is empty and enabled. */
    enum agpu_status (*reset)(void *ctx);
};

#endif
