/* vblank.c: the vblank clock: counters compared with time, schedule, and the effect of scanout off and on (device.md
 * 4.7). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

#define MS UINT64_C(1000000)

/* Attempts at a time measurement: a busy machine can disturb some of them, a faulty device fails all of them. */
#define TRIES 10u

/* VBLANK_PERIOD_NS must be that of 20 to 500 Hz, 1e9 / Hz rounded up, and the same with the scanout on. */
static void period_sane(struct agpu_test *t)
{
    const uint32_t period = agpu_vblank_period(t);
    uint64_t hertz;

    /* 20 to 500 Hz; the reference device has 60 Hz. */
    agpu_return_unless(
        agpu_check_within(t, period, 2 * MS, 50 * MS, "VBLANK_PERIOD_NS is that of 20 to 500 Hz"));
    hertz = (1000 * MS + period - 1) / period;
    agpu_check_u64(t, period, t->env->model ? 16666667 : (1000 * MS + hertz - 1) / hertz,
                   "VBLANK_PERIOD_NS is 1e9 / Hz, rounded up", false, AGPU_HERE);
    agpu_scanout_enable(t, 1);
    agpu_check_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS), period,
                   "VBLANK_PERIOD_NS with the scanout on", false, AGPU_HERE);
    agpu_metric(t, "vblank_period_ns", period, "ns");
    agpu_choice(t, "vblank_rate", hertz == 60 ? "60 Hz" : "another");
}

/* Checks that neither counter changes for this many eighths of a period. */
static bool vblank_stands(struct agpu_test *t, const struct agpu_vblank_edge *at, uint64_t eighths)
{
    bool ok;

    agpu_vblank_stall(t, eighths);
    ok = agpu_check_u64(t, agpu_vblank_seq(t), at->seq, "VBLANK_SEQ stands while the scanout is off", false,
                        AGPU_HERE);
    ok &= agpu_check_u64(t, agpu_vblank_time(t), at->time, "VBLANK_TIME_NS stands while the scanout is off",
                         false, AGPU_HERE);
    return ok;
}

/* With the scanout off, VBLANK_SEQ, VBLANK_TIME_NS and IRQ_STATUS must not change for 1.5 periods. */
static void off_no_ticks(struct agpu_test *t)
{
    struct agpu_vblank_edge at;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_read(t, &at));
    agpu_return_unless(vblank_stands(t, &at, 12));
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

/* Each edge must add one to VBLANK_SEQ and one period to VBLANK_TIME_NS. */
static void vblank_counts(struct agpu_test *t)
{
    struct agpu_vblank_edge first, edge;
    uint64_t looked_at = 0;

    agpu_return_unless(agpu_vblank_start(t, &first));
    edge = first;
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_vblank_check_schedule(t, &first, &edge));
        looked_at = edge.seq - first.seq;
    }
    /* Edges are missed only if the machine pauses for whole periods. */
    agpu_check_within(t, looked_at, 3, 200, "VBLANK_SEQ after three edges");
}

/* Checks that the machine and the device measured the same time between two edges. Tolerance: 1.5 periods for a late
 * read of an edge, and 1/32 for the difference between two clocks. */
static bool vblank_same_time(struct agpu_test *t, const struct agpu_vblank_edge *from,
                             const struct agpu_vblank_edge *to, bool last_try)
{
    const uint64_t period = agpu_vblank_period(t);
    const uint64_t counted = (to->seq - from->seq) * period;
    const uint64_t slack = 3 * period / 2 + counted / 32;
    const uint64_t passed = to->seen - from->seen;

    if (!last_try && (passed + slack < counted || passed > counted + slack)) {
        return false;
    }
    return agpu_check_within(t, passed, counted > slack ? counted - slack : 0, counted + slack,
                             "time that passed while VBLANK_SEQ counted these periods");
}

/* Over five edges, the time on the machine's clock must match VBLANK_SEQ and VBLANK_PERIOD_NS. */
static void vblank_rate(struct agpu_test *t)
{
    struct agpu_vblank_edge first, edge;

    agpu_return_unless(agpu_vblank_start(t, &first));
    for (unsigned i = 0; i < TRIES; i++) {
        const unsigned checks = t->checks;

        agpu_return_unless(i == 0 || agpu_vblank_next(t, &first));
        edge = first;
        while (edge.seq < first.seq + 5) {
            agpu_return_unless(agpu_vblank_next(t, &edge));
        }
        agpu_metric(t, "vblank_5_periods_ns", edge.seen - first.seen, "ns");
        /* An early edge fails in each attempt; a late one may be the machine's fault. */
        agpu_return_unless(agpu_check(t, edge.seen - first.not_before >=
                                             (edge.seq - first.seq) * agpu_vblank_period(t) * 31 / 32));
        if (vblank_same_time(t, &first, &edge, i + 1 == TRIES)) {
            break;
        }
        agpu_check_drop(t, checks);
    }
}

/* The scanout geometry must not affect the vblank schedule: one period per edge in each mode, without a restart. */
static void vblank_any_geometry(struct agpu_test *t)
{
    static const uint32_t modes[][3] = {{640, 480, 2560},
                                        {1920, 1080, 7680},
                                        {1920, 1200, 7680},
                                        {3840, 2160, 15360},
                                        {800, 600, 4},
                                        {0, 0, 0},
                                        {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    struct agpu_vblank_edge first, edge;

    agpu_return_unless(agpu_vblank_start(t, &first));
    edge = first;
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, modes[i][0]);
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, modes[i][1]);
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, modes[i][2]);
        agpu_vblank_stall(t, 9);
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_vblank_check_schedule(t, &first, &edge));
    }
}

/* Each edge must be one period and one interrupt, and if `every`, one count. The smallest delay between an edge and its
 * read must be the same in both halves of the run: then the two clocks do not drift. */
static void vblank_run_of(struct agpu_test *t, unsigned edges, bool every)
{
    const struct agpu_function *function = &t->env->function;
    const int64_t period = (int64_t)agpu_vblank_period(t);
    int64_t least[2] = {INT64_MAX, INT64_MAX};
    struct agpu_vblank_edge first, edge;

    agpu_irq_enable(function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &first));
    agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
    edge = first;
    for (unsigned i = 0; i < edges; i++) {
        int64_t delay;

        agpu_return_unless(agpu_time_left(t) && agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_vblank_check_schedule(t, &first, &edge));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
        agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        if (every) {
            agpu_return_unless(
                agpu_check_u64(t, edge.seq, first.seq + i + 1, "VBLANK_SEQ edge by edge", false, AGPU_HERE));
        }
        if (every && t->env->model) { /* both clocks are the same, with the same start (4.7 DEV) */
            agpu_return_unless(agpu_check_within(t, edge.time, edge.not_before, edge.seen,
                                                 "VBLANK_TIME_NS on the machine's clock"));
        }
        delay = (int64_t)(edge.seen - first.seen) - (int64_t)(edge.time - first.time);
        least[2 * i / edges] = delay < least[2 * i / edges] ? delay : least[2 * i / edges];
    }
    agpu_check_within(t, (uint64_t)(least[1] - least[0] + period / 2), 0, (uint64_t)period,
                      "nanoseconds that the clocks of device and machine drift apart, and half a period");
}

/* Six vblank edges must each be one period apart, raise one interrupt, and not drift from the machine's clock. */
static void vblank_run(struct agpu_test *t)
{
    vblank_run_of(t, 6, false);
}

/* The vblank clock must keep its schedule for 700 edges: past 8- and 9-bit counters and past 2^32 ns. */
static void vblank_long_run(struct agpu_test *t)
{
    agpu_require_simulated_time(t);
    vblank_run_of(t, 700, true);
}

/* ---- off and on ---- */

/* Given scanout off and on again, the vblank counters must stop and continue from there, with the first edge one period
 * after the enable. */
static void disable_keeps_counters(struct agpu_test *t)
{
    const unsigned checks = t->checks;
    struct agpu_vblank_edge last, stopped, first;
    bool prompt = false;

    for (unsigned i = 0; i < TRIES && !prompt; i++) {
        uint64_t enabled;

        agpu_check_drop(t, checks);
        agpu_return_unless(agpu_vblank_start(t, &last));
        agpu_vblank_stall(t, 4);
        agpu_scanout_enable(t, 0);
        agpu_return_unless(agpu_vblank_read(t, &stopped));
        agpu_check(t, stopped.seq >= last.seq);
        agpu_return_unless(agpu_vblank_check_schedule(t, &last, &stopped));
        agpu_return_unless(vblank_stands(t, &stopped, 12));
        agpu_scanout_enable(t, 0);
        agpu_return_unless(vblank_stands(t, &stopped, 1));
        /* After the enable they continue, and the first edge is one period away. A machine that pauses may miss it. */
        enabled = agpu_now(t);
        agpu_scanout_enable(t, 1);
        agpu_return_unless(agpu_vblank_read(t, &first));
        prompt = agpu_now(t) < enabled + agpu_vblank_period(t) / 2;
    }
    agpu_check_u64(t, first.seq, stopped.seq, "VBLANK_SEQ directly after enabling", false, AGPU_HERE);
    agpu_check_u64(t, first.time, stopped.time, "VBLANK_TIME_NS directly after enabling", false, AGPU_HERE);
    first = stopped;
    agpu_return_unless(agpu_vblank_next(t, &first));
    agpu_check_within(t, first.seq, stopped.seq + 1, stopped.seq + 200, "VBLANK_SEQ at the first edge");
    /* TIME includes the time during which the scanout was off. */
    agpu_check_within(t, first.time - stopped.time, 12 * (uint64_t)agpu_vblank_period(t) / 8,
                      first.seen - last.not_before + agpu_vblank_period(t),
                      "VBLANK_TIME_NS over the time without scanout");
}

/* Returns the time from the write of ENABLE to the first edge; 0 after a recorded failure. */
static uint64_t vblank_first_edge_after(struct agpu_test *t)
{
    const uint64_t period = agpu_vblank_period(t);
    struct agpu_vblank_edge edge = {0};
    uint64_t start;

    agpu_scanout_enable(t, 0);
    agpu_vblank_stall(t, 3);
    if (!agpu_vblank_read(t, &edge)) {
        return 0;
    }
    start = agpu_now(t);
    agpu_scanout_enable(t, 1);
    edge.seen = agpu_now(t);
    if (!agpu_vblank_next(t, &edge) ||
        !agpu_check_true(t, edge.seen - start >= period * 31 / 32,
                         "the first edge comes a whole period after ENABLE", AGPU_HERE)) {
        return 0;
    }
    return edge.seen - start;
}

/* After the scanout is enabled, the first edge must come within 1.75 periods. */
static void vblank_first_edge(struct agpu_test *t)
{
    const uint64_t period = agpu_vblank_period(t);
    const unsigned checks = t->checks;
    uint64_t best = UINT64_MAX;

    for (unsigned i = 0; i < TRIES && best > period * 7 / 4; i++) {
        uint64_t took;

        agpu_check_drop(t, checks);
        took = vblank_first_edge_after(t);
        agpu_return_unless(took != 0);
        best = took < best ? took : best;
    }
    agpu_check_within(t, best, 0, period * 7 / 4, "nanoseconds from ENABLE to the first edge");
    agpu_choice(t, "first_vblank", best < period * 5 / 4 ? "a period after ENABLE" : "later");
}

/* Any ENABLE value except 0 must start the vblank clock. */
static void vblank_any_enable(struct agpu_test *t)
{
    static const uint32_t values[] = {2, 0x80000000, 0xFFFFFFFE};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        const uint64_t before = agpu_vblank_seq(t);

        agpu_scanout_enable(t, values[i]);
        agpu_return_unless(agpu_vblank_wait_seq(t, before + 1));
        agpu_check_passed(t);
        agpu_scanout_enable(t, 0);
    }
}

/* A repeated write of ENABLE, or a write to any other register, must not change the schedule. */
static void vblank_enable_again(struct agpu_test *t)
{
    static const uint32_t values[] = {1, 2, 0x80000000, 0xFFFFFFFF};
    static const uint32_t others[] = {
        AEROGPU_MMIO_REG_CURSOR_ENABLE,    AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI,
        AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI, AEROGPU_MMIO_REG_IRQ_ACK,    AEROGPU_MMIO_REG_RING_CONTROL,
        AEROGPU_MMIO_REG_CURSOR_X};
    struct agpu_vblank_edge first, edge;

    agpu_return_unless(agpu_vblank_start(t, &first));
    for (unsigned i = 0; i < 10; i++) {
        agpu_vblank_stall(t, 3);
        agpu_scanout_enable(t, values[i % 4]);
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, i);
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, i % 2);
        agpu_reg_write(&t->env->function, others[i % (sizeof others / sizeof others[0])], i % 2);
    }
    agpu_return_unless(agpu_vblank_read(t, &edge));
    agpu_return_unless(agpu_vblank_check_schedule(t, &first, &edge));
    /* 3.75 periods have passed. */
    agpu_check_within(t, edge.seq - first.seq, 3, (edge.seen - first.not_before) / agpu_vblank_period(t) + 1,
                      "edges while ENABLE was written again and again");
}

/* The vblank clock must keep its schedule with Bus Master clear, and with Memory Space clear. */
static void vblank_without_master(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t period = agpu_vblank_period(t);
    struct agpu_vblank_edge first, edge;

    agpu_return_unless(agpu_vblank_start(t, &first));
    agpu_irq_enable(function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    edge = first;
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_vblank_check_schedule(t, &first, &edge));
    }
    agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
    /* The clock runs even if Memory Space is clear. */
    agpu_command_write(function, 0);
    agpu_wait_stall(t->env->platform, 18 * period / 8);
    agpu_function_restore(function);
    agpu_return_unless(agpu_vblank_next(t, &edge));
    agpu_vblank_check_schedule(t, &first, &edge);
    agpu_check_within(t, edge.seq - first.seq, 4, UINT64_MAX, "edges, two of them without memory decode");
}

/* A ring reset must not disturb the vblank clock: its edges stay on schedule. */
static void survives_ring_reset(struct agpu_test *t)
{
    struct agpu_vblank_edge first, edge;

    agpu_return_unless(agpu_vblank_start(t, &first));
    edge = first;
    for (unsigned i = 0; i < 2; i++) {
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        agpu_check_eq_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE), 1);
        agpu_return_unless(agpu_vblank_read(t, &edge) && agpu_vblank_check_schedule(t, &first, &edge));
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_vblank_check_schedule(t, &first, &edge));
    }
    agpu_check_within(t, edge.seq - first.seq, 2, (edge.seen - first.not_before) / agpu_vblank_period(t) + 1,
                      "edges while the ring was reset");
}

#define VBLANK_CASE(name, function, level)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.7", .needs = (level),                                             \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case function_vblank_cases[] = {
    VBLANK_CASE("vblank.period.sane", period_sane, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.off_no_ticks", off_no_ticks, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.counts", vblank_counts, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.first_edge", vblank_first_edge, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.rate", vblank_rate, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.any_geometry", vblank_any_geometry, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.run", vblank_run, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.long_run", vblank_long_run, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.disable_keeps_counters", disable_keeps_counters, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.any_enable", vblank_any_enable, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.enable_again", vblank_enable_again, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.without_bus_master", vblank_without_master, AGPU_NEED_FUNCTION),
    VBLANK_CASE("vblank.clock.survives_ring_reset", survives_ring_reset, AGPU_NEED_RING),
};

AGPU_CASE_TABLE(agpu_cases_function_vblank, function_vblank_cases);
