/* attempts.h: retries of cases that measure times, on machines that do not run continuously.
 *
 * If the host takes the processor away for 20 ms, an edge that came in time looks late, or two edges look like one.
 * No tolerance is wide enough for every machine and narrow enough to catch a wrong device. Therefore, a failed check in
 * one of these cases does not count if the machine stood still for a noticeable time after the start of the case. The
 * case starts again, and the result of that attempt counts. On a quiet machine this never happens; a wrong device fails
 * in each attempt. */
#ifndef AGPU_CASES_HARNESS_ATTEMPTS_H
#define AGPU_CASES_HARNESS_ATTEMPTS_H

#include <stdint.h>

/* Maximum number of attempts, including the first. */
#define AGPU_TIMED_ATTEMPTS 4u

/* Time between two readings of the clock that counts as a standstill: half a vblank period. */
#define AGPU_STANDSTILL_NS UINT64_C(8000000)

#endif
