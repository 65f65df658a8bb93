/* rounds.h: the catalogue again and again in one boot: each time in another order and with other fence numbers,
 * and nothing grows from one time to the next. */
#ifndef AGPU_CASES_HARNESS_ROUNDS_H
#define AGPU_CASES_HARNESS_ROUNDS_H

#include "tests/cases/harness/runner.h"

/* Something that is in use between two rounds, and should be as much after each. */
struct agpu_gauge {
    const char *name; /* of its metric, "round.heap_blocks" */
    const char *unit;
    uint64_t value;
    uint64_t slack; /* it may grow by so much over the whole run */
};
#define AGPU_GAUGES_MAX 16u

struct agpu_rounds_config {
    unsigned count;   /* rounds; 0: as time_ns says; else one, or until one fails (until_failure) */
    uint64_t time_ns; /* no round starts after so much time; 0: as count says */
    uint64_t shuffle; /* seed of the orders; 0: as the tables have it */
    /* Reads the machine's gauges, at most max; always the same ones. NULL: it has none. */
    unsigned (*gauges)(void *ctx, struct agpu_gauge *out, unsigned max);
    void *gauges_ctx;
};

/* agpu_run() as often as rounds says. With more than one round the plan has one case more,
 * stress.rounds.nothing_grows, which ends last; the summary counts every end of every round. A gauge has grown
 * when in the last third of the rounds it is never as low as its highest value in the first, the first rounds
 * left out. */
enum agpu_result agpu_run_rounds(const struct agpu_runner_config *config,
                                 const struct agpu_rounds_config *rounds, struct agpu_summary *out);

#endif
