/* wait.h: the one bounded wait of the driver layers: poll, relax, poll again, until a deadline.
 *
 *     agpu_wait_begin(&wait, platform, AGPU_RELAX_FENCE);
 *     do {
 *         if (condition) {
 *             return AGPU_OK;
 *         }
 *     } while (agpu_wait_again(&wait));
 *     return AGPU_ERR_TIMEOUT; */
#ifndef AGPU_PCI_MACHINE_WAIT_H
#define AGPU_PCI_MACHINE_WAIT_H

#include "pci/machine/platform.h"

struct agpu_wait {
    const struct agpu_platform *platform;
    enum agpu_relax_reason reason;
    uint64_t deadline_ns;
    uint64_t began_ns;
    uint64_t next_ns; /* no poll before this */
    uint64_t last_ns;
    uint32_t same_time; /* polls since the clock last moved */
    bool expired;
    /* Checks memory only and returns whether a poll is worthwhile. Set it after agpu_wait_begin(). NULL: memory shows
     * nothing. */
    bool (*peek)(const void *ctx);
    const void *peek_ctx;
    /* Minimum time between two polls while peek finds nothing; 0 after agpu_wait_begin(): the pace of wait.c. */
    uint64_t pace_ns;
};

/* Returns the bound of a reason in nanoseconds (see platform.h). */
uint64_t agpu_wait_bound_ns(const struct agpu_platform *platform, enum agpu_relax_reason reason);

/* Limits every later wait for a fence, a reset or room to most_ns; UINT64_MAX: its own bound. For a test system that
 * has found the device unresponsive and has hundreds of cases left. Does nothing on a platform without limits. */
void agpu_wait_limit(const struct agpu_platform *platform, uint64_t most_ns);

/* Ends every wait that starts from now on at latest_ns of the platform's clock; UINT64_MAX: no limit. For the time
 * limit of a test case. Does nothing on a platform without limits. */
void agpu_wait_until(const struct agpu_platform *platform, uint64_t latest_ns);

/* Starts a wait with the bound of its reason. */
void agpu_wait_begin(struct agpu_wait *wait, const struct agpu_platform *platform,
                     enum agpu_relax_reason reason);

/* Starts a wait with another bound than that of its reason. */
void agpu_wait_begin_ns(struct agpu_wait *wait, const struct agpu_platform *platform,
                        enum agpu_relax_reason reason, uint64_t bound_ns);

/* Relaxes and returns true to poll again. In a long wait it relaxes for longer, because a poll of a register is a trip
 * to the device. After the deadline it grants exactly one more poll, so that a machine which was stopped for long does
 * not report a timeout for an event that has happened. Also ends when the clock stands still. */
bool agpu_wait_again(struct agpu_wait *wait);

/* Lets ns pass without any access to the device. */
void agpu_wait_stall(const struct agpu_platform *platform, uint64_t ns);

#endif
