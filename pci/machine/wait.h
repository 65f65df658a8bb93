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
    /* Looks at memory only, and says whether a poll is worth while. To be set after agpu_wait_begin(); NULL: nothing in
     * memory tells. */
    bool (*peek)(const void *ctx);
    const void *peek_ctx;
    /* At least so long between two polls for which there is nothing to see in memory; 0 at the beginning. */
    uint64_t pace_ns;
};

/* The bound of a reason in nanoseconds (the comments in platform.h). */
uint64_t agpu_wait_bound_ns(const struct agpu_platform *platform, enum agpu_relax_reason reason);

/* No later wait for a fence, a reset or room lasts longer than this; UINT64_MAX: its own bound. For a test
 * system that has seen the device not answer, and has hundreds of cases left. Does nothing on a platform without limits. */
void agpu_wait_limit(const struct agpu_platform *platform, uint64_t most_ns);

/* No wait that begins from now on lasts beyond this time of the platform's clock; UINT64_MAX: no limit. For a
 * test case's own bound. Does nothing on a platform without limits. */
void agpu_wait_until(const struct agpu_platform *platform, uint64_t latest_ns);

/* Starts a wait with the bound of its reason. */
void agpu_wait_begin(struct agpu_wait *wait, const struct agpu_platform *platform,
                     enum agpu_relax_reason reason);

/* The same with another bound. */
void agpu_wait_begin_ns(struct agpu_wait *wait, const struct agpu_platform *platform,
                        enum agpu_relax_reason reason, uint64_t bound_ns);

/* Relaxes, for some time when the wait has lasted long: a poll of a register is a trip to the device. True to poll again. After the deadline exactly one more poll is granted, so that a machine
 * which was stopped for long does not report a timeout for something that has happened. Ends also when the
 * clock stands still. */
bool agpu_wait_again(struct agpu_wait *wait);

/* Lets ns pass in which nobody touches the device. */
void agpu_wait_stall(const struct agpu_platform *platform, uint64_t ns);

#endif
