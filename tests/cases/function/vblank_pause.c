/* vblank_pause.c: edges that fall due while the driver does not access the device, and the order in which it reads the
 * counters afterwards (device.md 4.7). */
#include "pci/machine/test_system.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

#define ORDERS 7u

/* The first access after the pause. */
enum vblank_touch {
    TOUCH_SEQ_LO,
    TOUCH_TIME_LO,
    TOUCH_TIME_HI,
    TOUCH_SEQ_HI,
    TOUCH_IRQ_STATUS,
    TOUCH_IRQ_ENABLE,
    TOUCH_IRQ_ACK,
    TOUCH_ENABLE_AGAIN,
    TOUCH_DOORBELL,
    TOUCH_WIDTH,
    TOUCH_COMMAND,
    TOUCH_HEIGHT,
    TOUCH_FLIP,
    TOUCHES,
};

static void vblank_touch(struct agpu_test *t, enum vblank_touch how)
{
    const struct agpu_function *function = &t->env->function;

    switch (how) {
    case TOUCH_SEQ_LO:
        agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
        break;
    case TOUCH_SEQ_HI:
        agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI);
        break;
    case TOUCH_TIME_LO:
        agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
        break;
    case TOUCH_TIME_HI:
        agpu_reg_read(function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI);
        break;
    case TOUCH_IRQ_STATUS:
        agpu_irq_status(function);
        break;
    case TOUCH_IRQ_ENABLE:
        agpu_irq_enable(function, 0);
        break;
    case TOUCH_IRQ_ACK:
        agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        break;
    case TOUCH_ENABLE_AGAIN:
        agpu_scanout_enable(t, 1);
        break;
    case TOUCH_DOORBELL:
        agpu_reg_write(function, AEROGPU_MMIO_REG_DOORBELL, 1);
        break;
    case TOUCH_WIDTH:
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 1);
        break;
    case TOUCH_COMMAND:
        agpu_command_write(function, agpu_command_read(function));
        break;
    case TOUCH_HEIGHT:
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 1);
        break;
    case TOUCH_FLIP:
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
        break;
    case TOUCHES:
        break;
    }
}

/* Lets time pass, accesses the device, and checks that the edges of that time are counted and on schedule. */
static bool vblank_after_pause(struct agpu_test *t, struct agpu_vblank_edge *edge, uint64_t eighths,
                               enum vblank_touch how)
{
    const struct agpu_vblank_edge before = *edge;
    const uint64_t period = agpu_vblank_period(t);
    uint64_t due;

    agpu_vblank_stall(t, eighths);
    /* At least this many edges fell due since the last one that was read. A device that works at host ticks counts the
     * last of them later. */
    due = (agpu_now(t) - before.seen) / period;
    vblank_touch(t, how);
    /* Simulated time does not advance while registers are read, so the device has counted them by now. */
    if (!t->platform->test->simulated_time && !agpu_vblank_wait_seq(t, before.seq + due)) {
        return false;
    }
    return agpu_vblank_read(t, edge) &&
           agpu_check_within(t, edge->seq - before.seq, due, (edge->seen - before.not_before) / period + 1,
                             "edges counted over a pause of the machine") &&
           agpu_vblank_check_schedule(t, &before, edge);
}

/* Given a pause with more edges than the device replays in one pass, it counts at least 1024 of them and keeps its
 * schedule. The pause may begin up to a period after the edge. */
static void vblank_longest_pause(struct agpu_test *t, struct agpu_vblank_edge edge)
{
    const uint64_t period = agpu_vblank_period(t);
    struct agpu_vblank_edge after;

    after = edge;
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_vblank_stall(t, 8 * 1100 + 3);
    agpu_return_unless(agpu_vblank_read(t, &after) && agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
    agpu_irq_enable(&t->env->function, 0);
    if (t->env->model) { /* the next edge is a period away */
        agpu_check_u64(t, after.seq - edge.seq, 1024, "edges counted over 1100 periods", false, AGPU_HERE);
        agpu_check_u64(t, after.time - edge.time, 1024 * period, "VBLANK_TIME_NS over these", false,
                       AGPU_HERE);
        agpu_vblank_stall(t, 7);
        agpu_check_u64(t, agpu_vblank_passed(t, after.seq), 0, "edges 7/8 of a period later", false,
                       AGPU_HERE);
        agpu_vblank_stall(t, 2);
        agpu_check_u64(t, agpu_vblank_passed(t, after.seq), 1, "edges 9/8 of a period later", false,
                       AGPU_HERE);
    }
    agpu_return_unless(
        agpu_check_within(t, after.seq - edge.seq, 1024, 1101, "edges counted over 1100 periods"));
    agpu_check(t, after.time - edge.time >= 1024 * period);
    edge = after;
    agpu_return_unless(agpu_vblank_next(t, &edge));
    agpu_check_within(t, edge.time - after.time, period, 79 * period, "VBLANK_TIME_NS of the next edge");
    after = edge;
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_vblank_check_schedule(t, &after, &edge));
    }
}

/* Given pauses of up to 2.5 periods without an access, the counters must include every edge that fell due. */
static void vblank_missed_edges(struct agpu_test *t)
{
    static const uint16_t eighths[] = {4, 20, 10, 1};
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_start(t, &edge));
    for (unsigned i = 0; i < sizeof eighths / sizeof eighths[0]; i++) {
        agpu_return_unless(vblank_after_pause(t, &edge, eighths[i], TOUCH_SEQ_LO));
    }
    /* The schedule continues from there. */
    agpu_return_unless(vblank_after_pause(t, &edge, 9, TOUCH_TIME_LO));
}

static bool vblank_touch_each(struct agpu_test *t, struct agpu_vblank_edge *edge, uint64_t eighths)
{
    for (unsigned how = 0; how < TOUCHES; how++) {
        if (!vblank_after_pause(t, edge, eighths, (enum vblank_touch)how)) {
            return false;
        }
    }
    return true;
}

/* Given a pause without an access, the counters must include every edge, whichever register is accessed first. */
static void vblank_missed_then_touched(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_start(t, &edge));
    vblank_touch_each(t, &edge, 9);
}

/* Given pauses of up to 1100 periods, the counters must include every edge (at least 1024 of the longest) and keep the
 * schedule. */
static void vblank_long_pauses(struct agpu_test *t)
{
    static const uint16_t eighths[] = {4, 28, 10, 1, 105, 803, 17, 8003};
    struct agpu_vblank_edge edge;

    agpu_require_simulated_time(t);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    for (unsigned i = 0; i < sizeof eighths / sizeof eighths[0]; i++) {
        agpu_return_unless(vblank_after_pause(t, &edge, eighths[i], TOUCH_SEQ_LO));
    }
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(vblank_touch_each(t, &edge, 17 + 3 * i));
    }
    vblank_longest_pause(t, edge);
}

/* ---- reading ---- */

/* Reads the four registers in one order after a pause, and checks that they show the same edge as the usual order. */
static bool vblank_read_order(struct agpu_test *t, const uint8_t order[4])
{
    uint32_t value[4] = {0};
    struct agpu_vblank_edge edge = {0}, later;

    for (unsigned tries = 0; tries < 4; tries++) {
        for (unsigned i = 0; i < 4; i++) {
            value[order[i]] =
                agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO + 4u * order[i]);
        }
        if (!agpu_vblank_read(t, &edge)) {
            return false;
        }
        /* Simulated time does not advance while registers are read: no edge comes in between. */
        if (t->platform->test->simulated_time ||
            (value[0] == (uint32_t)edge.seq && value[1] == edge.seq >> 32 &&
             value[2] == (uint32_t)edge.time && value[3] == edge.time >> 32)) {
            break;
        }
        /* An edge may have come during the reads: repeat shortly after an edge. */
        later = edge;
        if (!agpu_vblank_next(t, &later)) {
            return false;
        }
        agpu_vblank_stall(t, 9);
    }
    return agpu_check_u64(t, value[0], (uint32_t)edge.seq, "VBLANK_SEQ_LO in another order", true,
                          AGPU_HERE) &&
           agpu_check_u64(t, value[1], edge.seq >> 32, "VBLANK_SEQ_HI in another order", true, AGPU_HERE) &&
           agpu_check_u64(t, value[2], (uint32_t)edge.time, "VBLANK_TIME_NS_LO in another order", true,
                          AGPU_HERE) &&
           agpu_check_u64(t, value[3], edge.time >> 32, "VBLANK_TIME_NS_HI in another order", true,
                          AGPU_HERE);
}

/* Tries the first `count` orders, each after a pause or after a carry of TIME into its high half. */
static void vblank_orders_after(struct agpu_test *t, bool carry, unsigned count)
{
    static const uint8_t orders[ORDERS][4] = {
        {3, 2, 1, 0}, {2, 3, 0, 1}, {0, 1, 2, 3}, {1, 0, 3, 2}, {3, 1, 2, 0}, {2, 0, 3, 1}, {0, 2, 1, 3},
    };
    const uint64_t period = agpu_vblank_period(t);
    struct agpu_vblank_edge first, edge;

    agpu_return_unless(agpu_vblank_start(t, &first));
    for (unsigned i = 0; i < count; i++) {
        agpu_return_unless(agpu_vblank_read(t, &edge));
        agpu_vblank_stall(t, carry ? 8 * (((UINT64_C(1) << 32) - (uint32_t)edge.time) / period + 1) : 9);
        agpu_return_unless(vblank_read_order(t, orders[i]));
    }
    agpu_return_unless(agpu_vblank_read(t, &edge));
    agpu_vblank_check_schedule(t, &first, &edge);
}

/* Given a pause without an access, any order of reading the four vblank counters must show the same edge. */
static void vblank_orders(struct agpu_test *t)
{
    vblank_orders_after(t, false, ORDERS);
}

/* Given a carry of VBLANK_TIME_NS into its high half (which takes seconds), any order of reading the counters must show
 * the same edge. */
static void vblank_orders_after_carry(struct agpu_test *t)
{
    agpu_require_simulated_time(t);
    vblank_orders_after(t, true, 2);
}
#define PAUSE_CASE(name, function)                                                                           \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.7", .needs = AGPU_NEED_FUNCTION,                                  \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case function_vblank_pause_cases[] = {
    PAUSE_CASE("vblank.clock.schedule", vblank_missed_edges),
    PAUSE_CASE("vblank.clock.touched_late", vblank_missed_then_touched),
    PAUSE_CASE("vblank.clock.long_pauses", vblank_long_pauses),
    PAUSE_CASE("vblank.clock.read_orders", vblank_orders),
    PAUSE_CASE("vblank.clock.read_orders_after_carry", vblank_orders_after_carry),
};

AGPU_CASE_TABLE(agpu_cases_function_vblank_pause, function_vblank_pause_cases);
