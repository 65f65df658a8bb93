/* line.h: the INTx line as the machine shows it (device.md 4.4). */
#ifndef AGPU_CASES_RIG_LINE_H
#define AGPU_CASES_RIG_LINE_H

#include "tests/cases/harness/check.h"

/* 1 or 0, negative where the machine cannot see the line, or another function holds it. */
int agpu_line_level(const struct agpu_test *test);

/* Far above what any machine needs to show a changed level; less once the case has failed. */
uint64_t agpu_line_bound_ns(const struct agpu_test *test);

/* Waits, bounded, for this level and returns the last one that was seen. Some machines change the level only at an access to
 * the device, and may then show it late: between two polls `touch` reads a register of each function that shares the line. */
int agpu_line_wait(const struct agpu_test *test, bool asserted, void (*touch)(const void *ctx),
                   const void *ctx);

#endif
