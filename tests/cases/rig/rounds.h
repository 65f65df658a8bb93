/* rounds.h: loops that look for what goes wrong once in a while: as many rounds as that takes, fewer where each is
 * slow.
 *
 *     for (agpu_rounds_begin(&rounds, t, 300, 1100); agpu_rounds_next(&rounds);) { ... rounds.number ... } */
#ifndef AGPU_CASES_RIG_ROUNDS_H
#define AGPU_CASES_RIG_ROUNDS_H

#include "tests/cases/harness/check.h"

struct agpu_rounds {
    const struct agpu_platform *platform;
    uint64_t start_ns;
    unsigned number; /* of the running round, from 1 */
    unsigned least, most;
    uint64_t stress_ns; /* instead of the most: for so long */
};

/* Past the least the loop ends as soon as it has taken 4 ms, or 2.5 ms where a round takes more than 10 us: on a machine where an
 * access costs a microsecond and in-process that is nearly always the most; where a time was chosen for stress, it goes
 * on for that long. */
void agpu_rounds_begin(struct agpu_rounds *rounds, const struct agpu_test *test, unsigned least,
                       unsigned most);
bool agpu_rounds_next(struct agpu_rounds *rounds);

/* How often the loop ran, into the records, where a time was chosen. */
void agpu_rounds_tell(struct agpu_rounds *rounds, struct agpu_test *test);

#endif
