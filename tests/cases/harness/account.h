/* account.h: a platform in front of the machine's that counts live allocations and ticks the heartbeat while
 * anything waits: what a case did not free is seen at its end. */
#ifndef AGPU_CASES_HARNESS_ACCOUNT_H
#define AGPU_CASES_HARNESS_ACCOUNT_H

#include "pci/machine/platform.h"

struct agpu_account {
    const struct agpu_platform *inner;
    struct agpu_platform platform; /* hand this to the layers; its ctx is the account */
    uint64_t dma_live;
    uint64_t dma_bytes;
    uint64_t heap_live;
    void (*tick)(void *ctx);
    void *tick_ctx;
};

/* Wraps inner. tick is called after each relax(). account must not move afterwards. */
void agpu_account_init(struct agpu_account *account, const struct agpu_platform *inner,
                       void (*tick)(void *ctx), void *tick_ctx);

#endif
