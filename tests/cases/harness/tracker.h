/* tracker.h: a platform layer that wraps the machine's platform. It counts live allocations to find leaks, and checks
 * for device writes next to DMA memory when that is freed. During waits it ticks the heartbeat, and it notices when
 * the machine stood still, which makes measured times worthless. After a case was terminated it frees all of its
 * allocations. */
#ifndef AGPU_CASES_HARNESS_TRACKER_H
#define AGPU_CASES_HARNESS_TRACKER_H

#include "pci/machine/test_system.h"
#include "tests/cases/harness/redzone.h"

/* One allocation, if the tracker lists them (keeps). */
struct agpu_tracker_block {
    struct agpu_tracker_block *next, *previous;
    uint64_t number;     /* the first of a run is 1 */
    struct agpu_dma dma; /* as the machine returned it; cpu NULL: heap memory, which follows this header */
};

struct agpu_tracker {
    const struct agpu_platform *inner;
    struct agpu_platform platform; /* pass this to the layers; its ctx is the tracker */
    uint64_t accesses;             /* to configuration space, registers and unmapped BAR memory; atomic */
    uint64_t dma_live;
    uint64_t dma_bytes;
    uint64_t heap_live;
    struct agpu_redzone_damage damage; /* found while freeing; the caller resets it */
    uint64_t last_ns;                  /* the last reading of the clock; 0: none */
    uint64_t still_ns;                 /* longest time between two readings, beyond what a stall asked for */
    bool keeps;                        /* tracks every allocation, so that all can be freed */
    struct agpu_tracker_block *blocks; /* newest first */
    uint64_t numbered;                 /* blocks so far */
    void (*tick)(void *ctx);
    void *tick_ctx;
    struct agpu_test_system test;
    struct agpu_wait_limits limits; /* of waits on this platform */
};

/* Wraps inner. tick is called after each relax(). tracker must not be moved afterwards. */
void agpu_tracker_init(struct agpu_tracker *tracker, const struct agpu_platform *inner,
                       void (*tick)(void *ctx), void *tick_ctx);

/* Restarts still_ns. */
void agpu_tracker_forget(struct agpu_tracker *tracker);

/* Frees every allocation since numbered had this value; requires keeps. The owner of these blocks is gone, and the
 * device uses none of them. Returns their number. */
unsigned agpu_tracker_take_back(struct agpu_tracker *tracker, uint64_t numbered);

#endif
