/* guard.h: the runner's interface to a machine that can terminate a case which does not return because it loops or
 * caused a processor exception. */
#ifndef AGPU_CASES_HARNESS_GUARD_H
#define AGPU_CASES_HARNESS_GUARD_H

#include "pci/machine/text.h"

enum agpu_guard_end {
    AGPU_GUARD_RETURNED,
    AGPU_GUARD_LATE,    /* still running long after its time limit */
    AGPU_GUARD_CRASHED, /* a processor exception */
};

struct agpu_guard {
    void *ctx;
    /* Calls body(arg). If the body does not return, removes it from the stack where it was: it still holds its
     * resources, and its data may be half written. In that case evidence was sent as log records of the running case,
     * and why says what happened and where. bound_ns: the time limit of the body itself; the guard grants some more. */
    enum agpu_guard_end (*call)(void *ctx, void (*body)(void *arg), void *arg, uint64_t bound_ns,
                                struct agpu_text *why);
};

#endif
