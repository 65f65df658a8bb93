/* test_latency.c: the latency measured in a run decides how long a case waits before it concludes that nothing
 * happened. */

#include "tests/cases/rig/latency.h"
#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

TEST(without_samples)
{
    struct agpu_latency latency = {0};

    assert_int_equal(agpu_latency_median(&latency), 0);
    assert_int_equal(agpu_latency_settle_ns(&latency), 2 * MS);
}

TEST(median_of_the_newest)
{
    struct agpu_latency latency = {0};

    agpu_latency_add(&latency, 5);
    assert_int_equal(agpu_latency_median(&latency), 5);
    agpu_latency_add(&latency, 900 * MS);
    agpu_latency_add(&latency, 7);
    assert_int_equal(agpu_latency_median(&latency), 7);
    for (unsigned i = 0; i < AGPU_LATENCY_SAMPLES; i++) {
        agpu_latency_add(&latency, 3);
    }
    assert_int_equal(agpu_latency_median(&latency), 3);
}

/* Devices that serve the ring every 8 ms, every 10 us and every 50 ms. */
TEST(settles_by_latency)
{
    struct agpu_latency timer = {0}, fast = {0}, slow = {0};

    for (unsigned i = 0; i < 5; i++) {
        agpu_latency_add(&timer, 8 * MS);
        agpu_latency_add(&fast, 10000);
        agpu_latency_add(&slow, 50 * MS);
    }
    assert_int_equal(agpu_latency_settle_ns(&timer), 160 * MS);
    assert_int_equal(agpu_latency_settle_ns(&fast), 2 * MS);
    assert_int_equal(agpu_latency_settle_ns(&slow), 400 * MS);
}
