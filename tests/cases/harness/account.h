/* account.h: a platform in front of the machine's that counts live allocations, ticks the heartbeat while anything waits,
 * and notices when the machine stood still: what a case did not free is seen at its end, what a device wrote
 * beside DMA memory when that is freed, and whether its times are worth anything; and of a case that was ended by force everything is taken back. */
#ifndef AGPU_CASES_HARNESS_ACCOUNT_H
#define AGPU_CASES_HARNESS_ACCOUNT_H

#include "pci/machine/test_system.h"
#include "tests/cases/harness/margin.h"

/* One allocation of an account that keeps them. */
struct agpu_account_block {
    struct agpu_account_block *next, *previous;
    uint64_t number;     /* the first of a run is 1 */
    struct agpu_dma dma; /* as the machine gave it; cpu NULL: heap memory, behind this */
};

struct agpu_account {
    const struct agpu_platform *inner;
    struct agpu_platform platform; /* hand this to the layers; its ctx is the account */
    uint64_t
        accesses; /* to configuration space and registers, and to memory of BARs that is not mapped; atomic */
    uint64_t dma_live;
    uint64_t dma_bytes;
    uint64_t heap_live;
    struct agpu_margin_damage damage; /* found while freeing; the caller sets it back */
    uint64_t last_ns;                 /* the clock when it was read last; 0: never */
    uint64_t still_ns; /* the longest time that passed between two readings, beyond what a stall asked for */
    bool keeps;        /* every allocation is known, newest first: they can be taken back */
    struct agpu_account_block *blocks; /* the newest first */
    uint64_t numbered;                 /* blocks so far */
    void (*tick)(void *ctx);
    void *tick_ctx;
    struct agpu_test_system test;
    struct agpu_wait_limits limits; /* of waits on this platform */
};

/* Wraps inner. tick is called after each relax(). account must not move afterwards. */
void agpu_account_init(struct agpu_account *account, const struct agpu_platform *inner,
                       void (*tick)(void *ctx), void *tick_ctx);

/* From now on still_ns counts anew. */
void agpu_account_forget(struct agpu_account *account);

/* Frees everything that was allocated since numbered was this; the account keeps. Whoever held it is gone, and the device
 * uses none of it. Returns how many there were. */
unsigned agpu_account_take_back(struct agpu_account *account, uint64_t numbered);

#endif
