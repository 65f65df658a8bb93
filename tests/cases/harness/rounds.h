/* rounds.h: runs the catalogue repeatedly in one boot, each time in another order and with other fence numbers, and
 * checks that resource use does not grow. */
#ifndef AGPU_CASES_HARNESS_ROUNDS_H
#define AGPU_CASES_HARNESS_ROUNDS_H

#include "tests/cases/harness/runner.h"

/* A quantity in use between two rounds, which should be the same after each. */
struct agpu_gauge {
    const char *name; /* name of its metric, "round.heap_blocks" */
    const char *unit;
    uint64_t value;
    uint64_t slack; /* permitted growth over the whole run */
};
#define AGPU_GAUGES_MAX 16u

struct agpu_rounds_config {
    unsigned count; /* rounds; 0: until time_ns; if that is 0 too, one, or until one fails (until_failure) */
    uint64_t time_ns; /* no round starts after this time; 0: count decides */
    uint64_t shuffle; /* seed of the orders; 0: order of the tables */
    /* Reads at most max gauges of the machine, always the same ones. NULL: there are none. */
    unsigned (*gauges)(void *ctx, struct agpu_gauge *out, unsigned max);
    void *gauges_ctx;
};

/* Calls agpu_run() for each round. With more than one round the plan has one extra case, stress.rounds.nothing_grows,
 * which ends last; the summary counts every end of every round. A gauge has grown if all its values in the last third
 * of the rounds exceed its highest value in the first third. The first rounds do not count. */
enum agpu_result agpu_run_rounds(const struct agpu_runner_config *config,
                                 const struct agpu_rounds_config *rounds, struct agpu_summary *out);

#endif
