/* rounds.c: loops of many rounds. */
#include "tests/cases/rig/rounds.h"

static uint64_t rounds_now(const struct agpu_rounds *rounds)
{
    return rounds->platform->now_ns(rounds->platform->ctx);
}

void agpu_rounds_begin(struct agpu_rounds *rounds, const struct agpu_test *test, unsigned count)
{
    *rounds = (struct agpu_rounds){.platform = test->platform, .count = count, .stress_ns = test->stress_ns};
    rounds->start_ns = rounds_now(rounds);
}

bool agpu_rounds_next(struct agpu_rounds *rounds)
{
    if (rounds->stress_ns != 0 ? rounds_now(rounds) - rounds->start_ns > rounds->stress_ns
                               : rounds->number >= rounds->count) {
        return false;
    }
    rounds->number++;
    return true;
}

void agpu_rounds_report(struct agpu_rounds *rounds, struct agpu_test *test)
{
    if (rounds->stress_ns != 0) {
        agpu_metric(test, "stress_rounds", rounds->number, "1");
    }
}
