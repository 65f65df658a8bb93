/* line.h: reads the INTx line through the machine (device.md 4.4). */
#ifndef AGPU_CASES_RIG_LINE_H
#define AGPU_CASES_RIG_LINE_H

#include "tests/cases/harness/check.h"

/* Returns 1 or 0, or a negative value if the machine cannot read the line or another function asserts it. */
int agpu_line_level(const struct agpu_test *test);

/* Time limit for a change of the level, far above what any machine needs; less after the case has failed. */
uint64_t agpu_line_bound_ns(const struct agpu_test *test);

/* Waits, with a limit, for this level and returns the last one that was read. Some machines update the level only at
 * an access to the device, possibly late: between two polls `touch` reads a register of each function that shares the
 * line. */
int agpu_line_wait(const struct agpu_test *test, bool asserted, void (*touch)(const void *ctx),
                   const void *ctx);

/* A touch for agpu_line_wait(): reads IRQ_STATUS of the struct agpu_function. */
void agpu_line_touch_status(const void *function);

#endif
