/* rounds.c: loops of many rounds. */
#include "tests/cases/rig/rounds.h"

/* Where a round is quick it takes thousands of them to see what goes wrong when a count passes 2^16; where each is several trips to another
 * process, hundreds are the share of one case. */
#define SHARE_NS      UINT64_C(4000000)
#define SHARE_SLOW_NS UINT64_C(2500000)
#define SLOW_ROUND_NS UINT64_C(10000)

static bool has_had_share(const struct agpu_rounds *rounds, uint64_t now)
{
    const uint64_t taken = now - rounds->start_ns;

    return taken > (taken / SLOW_ROUND_NS > rounds->number ? SHARE_SLOW_NS : SHARE_NS);
}

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
                                     (rounds->number >= rounds->least && has_had_share(rounds, now))) {
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
