/* rounds.h: loops that repeat one operation, to find an error that occurs once in some hundred times.
 *
 *     for (agpu_rounds_begin(&rounds, t, 300); agpu_rounds_next(&rounds);) { ... rounds.number ... } */
#ifndef AGPU_CASES_RIG_ROUNDS_H
#define AGPU_CASES_RIG_ROUNDS_H

#include "tests/cases/harness/check.h"

struct agpu_rounds {
    const struct agpu_platform *platform;
    uint64_t start_ns;
    unsigned number; /* current round, from 1 */
    unsigned count;
    uint64_t stress_ns; /* duration that replaces the count; 0: none is configured */
};

/* Starts a loop with this many rounds on every machine. With a configured stress time (stress_s=) it lasts that long
 * instead. */
void agpu_rounds_begin(struct agpu_rounds *rounds, const struct agpu_test *test, unsigned count);
bool agpu_rounds_next(struct agpu_rounds *rounds);

/* Records the number of rounds if a time was configured. */
void agpu_rounds_report(struct agpu_rounds *rounds, struct agpu_test *test);

#endif
