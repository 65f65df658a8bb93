/* test_latency.c: the latency measured in a run decides how long a case waits before it concludes that nothing
 * happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/cases/rig/latency.h"

#define MS UINT64_C(1000000)

static void without_samples(void **state)
{
    struct agpu_latency latency = {0};

    (void)state;
    assert_int_equal(agpu_latency_median(&latency), 0);
    assert_int_equal(agpu_latency_settle_ns(&latency), 2 * MS);
}

static void median_of_the_newest(void **state)
{
    struct agpu_latency latency = {0};

    (void)state;
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
static void settles_by_latency(void **state)
{
    struct agpu_latency timer = {0}, fast = {0}, slow = {0};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        agpu_latency_add(&timer, 8 * MS);
        agpu_latency_add(&fast, 10000);
        agpu_latency_add(&slow, 50 * MS);
    }
    assert_int_equal(agpu_latency_settle_ns(&timer), 160 * MS);
    assert_int_equal(agpu_latency_settle_ns(&fast), 2 * MS);
    assert_int_equal(agpu_latency_settle_ns(&slow), 400 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_samples),
        cmocka_unit_test(median_of_the_newest),
        cmocka_unit_test(settles_by_latency),
    };

    return cmocka_run_group_tests_name("cases.latency", tests, NULL, NULL);
}
