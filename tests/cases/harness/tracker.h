/* tracker.h: a platform layer that wraps the machine's platform. It counts live allocations to find leaks, and checks
 * for device writes next to DMA memory when that is freed. During waits it ticks the heartbeat, and it notices when
 * the machine stood still, which makes measured times worthless. After a case was terminated it frees all of its
 * allocations. */
#ifndef AGPU_CASES_HARNESS_TRACKER_H
#define AGPU_CASES_HARNESS_TRACKER_H

#include "pci/machine/test_system.h"
#include "tests/cases/harness/redzone.h"

/* One allocation, if the account tracks them (keeps). */
struct agpu_account_block {
    struct agpu_account_block *next, *previous;
    uint64_t number;     /* the first of a run is 1 */
    struct agpu_dma dma; /* as the machine returned it; cpu NULL: heap memory, which follows this header */
};

struct agpu_account {
    const struct agpu_platform *inner;
    struct agpu_platform platform; /* pass this to the layers; its ctx is the account */
    uint64_t accesses;             /* to configuration space, registers and unmapped BAR memory; atomic */
    uint64_t dma_live;
    uint64_t dma_bytes;
    uint64_t heap_live;
    struct agpu_margin_damage damage;  /* found while freeing; the caller resets it */
    uint64_t last_ns;                  /* the last reading of the clock; 0: none */
    uint64_t still_ns;                 /* longest time between two readings, beyond what a stall asked for */
    bool keeps;                        /* tracks every allocation, so that all can be freed */
    struct agpu_account_block *blocks; /* newest first */
    uint64_t numbered;                 /* blocks so far */
    void (*tick)(void *ctx);
    void *tick_ctx;
    struct agpu_test_system test;
    struct agpu_wait_limits limits; /* of waits on this platform */
};

/* Wraps inner. tick is called after each relax(). account must not be moved afterwards. */
void agpu_account_init(struct agpu_account *account, const struct agpu_platform *inner,
                       void (*tick)(void *ctx), void *tick_ctx);

/* Restarts still_ns. */
void agpu_account_forget(struct agpu_account *account);

/* Frees every allocation since numbered had this value; requires keeps. The owner of these blocks is gone, and the
 * device uses none of them. Returns their number. */
unsigned agpu_account_take_back(struct agpu_account *account, uint64_t numbered);

#endif
