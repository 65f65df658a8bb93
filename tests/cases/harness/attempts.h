/* attempts.h: cases that judge times, on a machine that does not always give any.
 *
 * A processor that is taken away for 20 ms makes an edge look late that came in time, or two edges look like one. No bound
 * is wide enough for every machine and narrow enough to catch a wrong device. So a check that fails in one of these cases,
 * while the machine stood still for a noticeable time since the case began, is no finding: the case begins anew, and what
 * it says then counts. Who runs on a quiet machine sees none of it; a wrong device fails each time. */
#ifndef AGPU_CASES_HARNESS_ATTEMPTS_H
#define AGPU_CASES_HARNESS_ATTEMPTS_H

#include <stdint.h>

/* How often such a case begins at most, the first time included. */
#define AGPU_TIMED_ATTEMPTS 4u

/* Between two looks at the clock: half a vblank period. */
#define AGPU_STANDSTILL_NS UINT64_C(8000000)

#endif
