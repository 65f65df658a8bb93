/* basics.c: what every other case stands on, by name: the ring comes up, an empty submission completes, bytes
 * come back (device.md 4.2, 6; ring.md 2, 4; commands.md 6.4). The fixture proves it before these bodies run
 * (rig/basics.h). */
#include "tests/cases/rig/submit.h"

static void basics_bring_up(struct agpu_test *t)
{
    agpu_check_head(t, 0);
    agpu_check_completed(t, 0);
    agpu_check_irq(t, 0);
}

static void basics_submission(struct agpu_test *t)
{
    for (uint64_t fence = 1; fence <= 3; fence++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_check_completed(t, fence);
        agpu_check_head(t, (uint32_t)fence);
    }
}

static void basics_read_back(struct agpu_test *t)
{
    agpu_run_empty(t);
}

static const struct agpu_case cases[] = {
    {.id = "ring.basics.bring_up", .spec = "device.md 6", .needs = AGPU_NEED_RING, .run = basics_bring_up},
    {.id = "fence.basics.empty_submission",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .run = basics_submission},
    {.id = "buffer.basics.read_back",
     .spec = "commands.md 6.4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = basics_read_back},
};

AGPU_CASE_TABLE(agpu_cases_ring_basics, cases);
