/* edge.c: finds edges by the clock, without accesses that let the device work. */
#include "tests/cases/rig/edge.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/place.h"

#define POLLS_MAX 4000000u
/* Precision of an observed edge; each poll is a round trip to the device. */
#define POLLS_A_PERIOD 128u
/* For longer periods, polls all the time. */
#define QUIET_MOST_NS UINT32_C(50000000)

static uint64_t edge_now_ns(const struct agpu_function *function)
{
    return function->platform->now_ns(function->platform->ctx);
}

/* Polls rarely until an edge has passed, and then waits three quarters of a period. This shortens the phase of fast
 * polling, in which each poll is a round trip to the device. Returns false if no edge came. */
static bool roughly_behind_edge(const struct agpu_test *test, const struct agpu_function *function,
                                uint32_t seq_lo, uint32_t first, uint64_t period)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, test->env->platform, AGPU_RELAX_VBLANK);
    wait.pace_ns = period / 16;
    do {
        if (agpu_reg_read(function, seq_lo) != first) {
            agpu_wait_stall(test->env->platform, period < QUIET_MOST_NS ? period / 4 * 3 : 0);
            return true;
        }
    } while (agpu_wait_again(&wait));
    return false;
}

/* Polls only the clock. Returns false if it stands still. */
static bool spin_until(const struct agpu_function *function, uint64_t ns)
{
    for (unsigned i = 0; i < POLLS_MAX; i++) {
        if (edge_now_ns(function) >= ns) {
            return true;
        }
    }
    return false;
}

/* Polls the low half of the vblank count until it changes; the edge was between before and after. Records a failure
 * if none comes. */
static bool see_edge(struct agpu_test *test, const struct agpu_function *function, uint32_t seq_lo,
                     uint64_t period, uint64_t *before, uint64_t *after)
{
    uint32_t first = agpu_reg_read(function, seq_lo);
    uint64_t start;
    unsigned polls = 0;

    if (roughly_behind_edge(test, function, seq_lo, first, period)) {
        first = agpu_reg_read(function, seq_lo);
    }
    start = edge_now_ns(function);
    *after = start;
    do {
        *before = *after;
        if (*after - start > agpu_wait_bound_ns(function->platform, AGPU_RELAX_VBLANK) ||
            ++polls > POLLS_MAX) {
            return agpu_check_true(test, false, "a vblank edge comes while scanout is enabled", AGPU_HERE);
        }
        (void)spin_until(function, *before + period / POLLS_A_PERIOD);
        *after = edge_now_ns(function);
    } while (agpu_reg_read(function, seq_lo) == first);
    *after = edge_now_ns(function);
    return true;
}

void agpu_check_old_edge(struct agpu_test *test, const struct agpu_edge_registers *registers,
                         bool (*next)(struct agpu_test *test))
{
    const struct agpu_function *function = &test->env->function;
    const uint64_t period = agpu_reg_read(function, registers->period);
    const unsigned checks = test->checks;
    unsigned judged = 0;

    agpu_reg_write(function, registers->scanout_enable, 1);
    for (unsigned attempt = 0; attempt < 8 && judged < 1; attempt++) {
        uint64_t before, after, now;
        uint32_t status, seq;

        agpu_check_drop(test, checks);
        agpu_reg_write(function, registers->irq_enable, 0);
        agpu_return_unless(see_edge(test, function, registers->seq_lo, period, &before, &after));
        seq = agpu_reg_read(function, registers->seq_lo);
        agpu_require(test, spin_until(function, after + period + period / 4), AGPU_SKIP_NO_CLOCK);
        agpu_reg_write(function, registers->irq_enable, registers->bit);
        status = agpu_reg_read(function, registers->irq_status);
        now = edge_now_ns(function);
        /* Too late to tell the edge from the next one; near it the device's counter decides, for clocks differ. */
        if (now >= before + 2 * period || (now >= before + 2 * period - period / 4 &&
                                           agpu_reg_read(function, registers->seq_lo) - seq >= 2)) {
            continue;
        }
        agpu_return_unless(agpu_check_place(test, "IRQ_STATUS when enabled after an edge that was due; round",
                                            judged, status, 0));
        agpu_return_unless(next(test));
        judged++;
    }
    agpu_require(test, judged != 0, AGPU_SKIP_TOO_SLOW);
}
