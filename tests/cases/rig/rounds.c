/* rounds.c: loops of many rounds. */
#include "tests/cases/rig/rounds.h"

#define SHARE_NS UINT64_C(4000000)

void agpu_rounds_begin(struct agpu_rounds *rounds, const struct agpu_test *test, unsigned least,
                       unsigned most)
{
    *rounds = (struct agpu_rounds){.platform = test->platform,
                                   .start_ns = test->platform->now_ns(test->platform->ctx),
                                   .least = least,
                                   .most = most,
                                   .stress_ns = test->stress_ns};
}

bool agpu_rounds_next(struct agpu_rounds *rounds)
{
    const uint64_t now = rounds->platform->now_ns(rounds->platform->ctx);

    if (rounds->stress_ns != 0 ? now - rounds->start_ns > rounds->stress_ns
                               : rounds->number >= rounds->most ||
                                     (rounds->number >= rounds->least && now - rounds->start_ns > SHARE_NS)) {
        return false;
    }
    rounds->number++;
    return true;
}

void agpu_rounds_tell(struct agpu_rounds *rounds, struct agpu_test *test)
{
    if (rounds->stress_ns != 0) {
        agpu_metric(test, "stress_rounds", rounds->number, "1");
    }
}
