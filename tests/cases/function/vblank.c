/* vblank.c: the vblank clock: counters, schedule, interrupt, and what scanout off does to them
 * (device.md 4.7). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

#define MS UINT64_C(1000000)

static uint64_t vblank_seq(const struct agpu_test *t)
{
    return agpu_reg_read64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

static uint64_t vblank_time_ns(const struct agpu_test *t)
{
    return agpu_reg_read64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
}

static uint32_t vblank_period(const struct agpu_test *t)
{
    return agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
}

static void vblank_scanout(const struct agpu_test *t, uint32_t on)
{
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, on);
}

/* Waits until SEQ is target at least. */
static bool vblank_wait_seq(struct agpu_test *t, uint64_t target)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_VBLANK);
    do {
        if (vblank_seq(t) >= target) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    return agpu_check_ok(t, AGPU_ERR_TIMEOUT);
}

static void pass_time(struct agpu_test *t, uint64_t ns)
{
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_VBLANK, ns);
    while (agpu_wait_again(&wait)) {
        ;
    }
}

static void period_sane(struct agpu_test *t)
{
    /* 20 to 500 Hz; the reference is 60. */
    agpu_check(t, vblank_period(t) >= 2 * MS);
    agpu_check(t, vblank_period(t) <= 50 * MS);
    agpu_metric(t, "vblank_period_ns", vblank_period(t), "ns");
}

static void off_no_ticks(struct agpu_test *t)
{
    uint64_t before_seq = vblank_seq(t);
    uint64_t before_time = vblank_time_ns(t);

    pass_time(t, 2 * (uint64_t)vblank_period(t));
    agpu_check_eq_u64(t, vblank_seq(t), before_seq);
    agpu_check_eq_u64(t, vblank_time_ns(t), before_time);
}

static void vblank_counts(struct agpu_test *t)
{
    uint64_t before = vblank_seq(t);

    vblank_scanout(t, 1);
    for (uint64_t i = 1; i <= 3; i++) {
        agpu_return_unless(vblank_wait_seq(t, before + i));
    }
    agpu_check(t, vblank_seq(t) <= before + 10);
}

/* SEQ and TIME of one and the same edge. */
static bool vblank_edge(struct agpu_test *t, uint64_t *out_seq, uint64_t *out_time)
{
    for (unsigned i = 0; i < 8; i++) {
        *out_seq = vblank_seq(t);
        *out_time = vblank_time_ns(t);
        if (vblank_seq(t) == *out_seq) {
            return true;
        }
    }
    return agpu_check_true(t, false, "SEQ holds still for two reads", AGPU_HERE);
}

static void vblank_schedule(struct agpu_test *t)
{
    uint64_t first_seq, first_time, last_seq, last_time;

    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 1));
    agpu_return_unless(vblank_edge(t, &first_seq, &first_time));
    agpu_return_unless(vblank_wait_seq(t, first_seq + 3));
    agpu_return_unless(vblank_edge(t, &last_seq, &last_time));
    /* TIME is the scheduled time of the edge, so there is no jitter in it. */
    agpu_check_eq_u64(t, last_time - first_time, (last_seq - first_seq) * vblank_period(t));
}

static void vblank_rate(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    uint64_t first, start, elapsed;

    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 1));
    first = vblank_seq(t);
    start = platform->now_ns(platform->ctx);
    agpu_return_unless(vblank_wait_seq(t, first + 5));
    elapsed = platform->now_ns(platform->ctx) - start;
    agpu_metric(t, "vblank_5_periods_ns", elapsed, "ns");
    /* A stalled host may make it longer; shorter than four whole periods would be a wrong clock. */
    agpu_check(t, elapsed >= 4 * (uint64_t)vblank_period(t) - MS);
}

static void irq_latches(struct agpu_test *t)
{
    struct agpu_wait wait;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    vblank_scanout(t, 1);
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_VBLANK);
    while (agpu_irq_status(&t->env->function) == 0 && agpu_wait_again(&wait)) {
        ;
    }
    agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_check(t, vblank_seq(t) >= 1);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    /* The next edge latches again. */
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 1));
    agpu_check(t, (agpu_irq_status(&t->env->function) & AEROGPU_IRQ_SCANOUT_VBLANK) != 0);
}

static void irq_masked(struct agpu_test *t)
{
    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 2));
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

static void disable_clears_irq(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 2));
    agpu_check(t, (agpu_irq_status(&t->env->function) & AEROGPU_IRQ_SCANOUT_VBLANK) != 0);
    vblank_scanout(t, 0);
    agpu_check_irq(t, 0);
    pass_time(t, 2 * (uint64_t)vblank_period(t));
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

static void masking_clears_irq(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 2));
    agpu_irq_enable(&t->env->function, 0);
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

static void disable_keeps_counters(struct agpu_test *t)
{
    uint64_t stopped, stopped_time;

    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 2));
    vblank_scanout(t, 0);
    stopped = vblank_seq(t);
    stopped_time = vblank_time_ns(t);
    pass_time(t, 2 * (uint64_t)vblank_period(t));
    agpu_check_eq_u64(t, vblank_seq(t), stopped);
    agpu_check_eq_u64(t, vblank_time_ns(t), stopped_time);
    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, stopped + 1));
    agpu_check(t, vblank_time_ns(t) > stopped_time);
}

static void survives_ring_reset(struct agpu_test *t)
{
    uint64_t before;

    vblank_scanout(t, 1);
    agpu_return_unless(vblank_wait_seq(t, vblank_seq(t) + 1));
    before = vblank_seq(t);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    agpu_check(t, vblank_seq(t) >= before);
    agpu_check_eq_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 1);
    vblank_wait_seq(t, before + 1);
}

#define VBLANK_CASE(name, function, level)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.7", .needs = (level),                                             \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case cases[] = {
    VBLANK_CASE("vblank.period.sane", period_sane, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.off_no_ticks", off_no_ticks, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.counts", vblank_counts, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.schedule", vblank_schedule, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.rate", vblank_rate, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.disable_keeps_counters", disable_keeps_counters, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.survives_ring_reset", survives_ring_reset, AGPU_NEED_RING),
    VBLANK_CASE("vblank.irq.latches", irq_latches, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.irq.masked", irq_masked, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.irq.disable_clears", disable_clears_irq, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.irq.masking_clears", masking_clears_irq, AGPU_NEED_FUNCTION),
};

AGPU_CASE_TABLE(agpu_cases_function_vblank, cases);
