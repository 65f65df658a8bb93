/* guard.h: what the runner asks of a machine that can take a case back which does not return by itself: it loops, or the
 * processor refuses what it does. */
#ifndef AGPU_CASES_HARNESS_GUARD_H
#define AGPU_CASES_HARNESS_GUARD_H

#include "pci/machine/text.h"

enum agpu_guard_end {
    AGPU_GUARD_RETURNED,
    AGPU_GUARD_LATE,    /* it was still running long after its time */
    AGPU_GUARD_CRASHED, /* a processor exception */
};

struct agpu_guard {
    void *ctx;
    /* Calls body(arg). Not returned from, it is taken off the stack where it was: whatever it held it still holds, and
     * what it was writing is half written. Then evidence was sent as log records of the running case, and why says what
     * happened and where. bound_ns: the time after which the body itself should have come to an end; it gets some
     * more. */
    enum agpu_guard_end (*call)(void *ctx, void (*body)(void *arg), void *arg, uint64_t bound_ns,
                                struct agpu_text *why);
};

#endif
