/* test_model.c: random operations on the memory manager, compared with the reference model (model.h) after each step.
 * AGPU_TEST_LONG=1 runs millions of steps; AGPU_TEST_SEED=N runs only that seed. */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tests/unit/test.h"

static void run_model(uint64_t seed, uint64_t steps)
{
    static struct model m;
    /* Budgets from a few allocations to plenty. */
    static const uint64_t budgets[] = {500u << 10, 900u << 10, 1500u << 10, 16u << 20};

    model_open(&m, seed, budgets[seed % 4]);
    print_message("seed %u\n", (unsigned)seed); /* the last seed printed is the one that failed */
    for (uint64_t i = 0; i < steps; i++) {
        model_step(&m);
    }
    model_close(&m);
    print_message(
        "  locks %u, busy %u, no memory %u; renames %u, recycled %u; evictions %u, page-ins %u; resets %u\n",
        (unsigned)m.results[0], (unsigned)m.results[1], (unsigned)m.results[2], (unsigned)m.results[3],
        (unsigned)m.results[4], (unsigned)m.results[5], (unsigned)m.results[6], (unsigned)m.results[7]);
    assert_true(m.results[0] != 0 && m.results[1] != 0 && m.results[3] != 0); /* each of these occurred */
}

TEST(random_work_agrees_with_the_model)
{
    const char *seed = getenv("AGPU_TEST_SEED"), *longer = getenv("AGPU_TEST_LONG");
    bool long_form = longer != NULL && strcmp(longer, "1") == 0;
    uint64_t steps = long_form ? 3000000u : 50000u;
    if (seed != NULL) {
        run_model(strtoull(seed, NULL, 0), steps);
        return;
    }
    for (uint64_t i = 1; i <= (long_form ? 12u : 8u); i++) {
        run_model(i, steps);
    }
}
