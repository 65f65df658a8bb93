/* irq.c: interrupts, scanout registers and vblank of the legacy device (legacy.md 2). */
#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/legacy_irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/edge.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/legacy_rig.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/rounds.h"

/* 20 to 500 Hz; the reference has 60. */
#define PERIOD_MIN_NS 2000000u
#define PERIOD_MAX_NS 50000000u

/* More rounds than a loss of one in some hundreds needs to show. */
#define MANY      1030u
#define LINE_MANY 150u /* a machine may take 50 ms for each change of the line */

/* ---- fence interrupt: INT_STATUS, without a mask ---- */

/* Given a submission with a fence, INT_STATUS and the line must latch it until INT_ACK. */
static void legacy_irq_latches(struct agpu_test *t)
{
    agpu_check_legacy_line(t, false);
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, true);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, 0);
    agpu_check_legacy_line(t, false);
}

/* An acknowledge without the FENCE bit must leave FENCE pending and the line up. */
static void legacy_irq_ack_exact(struct agpu_test *t)
{
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, 0);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, ~AEROGPU_LEGACY_INT_FENCE);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, true);
}

/* Every fence must raise INT_STATUS and every acknowledge must clear it, over a thousand rounds. */
static void legacy_irq_again_after_ack(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    for (agpu_rounds_begin(&rounds, t, MANY); agpu_rounds_next(&rounds);) {
        agpu_return_unless(agpu_legacy_run_empty(t));
        agpu_return_unless(agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE));
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, AEROGPU_LEGACY_INT_FENCE);
        agpu_return_unless(agpu_check_place(t, "INT_STATUS after acknowledge number", rounds.number,
                                            agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), 0));
    }
}

/* The line must rise with every fence and drop with every acknowledge, over many rounds. */
static void legacy_line_many(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    for (agpu_rounds_begin(&rounds, t, LINE_MANY); agpu_rounds_next(&rounds);) {
        agpu_return_unless(agpu_legacy_run_empty(t));
        agpu_return_unless(agpu_check_legacy_line(t, true));
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, AEROGPU_LEGACY_INT_FENCE);
        agpu_return_unless(agpu_check_legacy_line(t, false));
    }
}

/* With Bus Master clear, the pending interrupt and the line must not change. */
static void legacy_without_master(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;
    uint16_t command = agpu_command_read(function);

    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy_line(t, true);
    agpu_command_write(function, command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_legacy_settle(t);
    agpu_check_legacy_line(t, true);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, false);
    agpu_command_write(function, command);
    agpu_legacy_settle(t);
    agpu_check_legacy_line(t, false);
}

/* With INTx Disable set, FENCE must become pending without the line; clearing it raises the line. */
static void legacy_irq_intx_disable(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;
    uint16_t command = agpu_command_read(function);

    agpu_command_write(function, command | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, false);
    agpu_command_write(function, command);
    agpu_check_legacy_line(t, true);
}

/* One pass of the driver's handler must return FENCE and clear it and the line. */
static void legacy_irq_handler_pass(struct agpu_test *t)
{
    struct agpu_legacy_rig rig = agpu_legacy_rig(t);

    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    agpu_check_eq_hex(t, agpu_legacy_irq_service(rig.function, rig.features), AGPU_LEGACY_CAUSE_FENCE);
    agpu_check_eq_hex(t, agpu_legacy_int_status(rig.function), 0);
    agpu_check_legacy_line(t, false);
    agpu_check_eq_hex(t, agpu_legacy_irq_service(rig.function, rig.features), 0);
}

/* ---- the extension, IRQ_STATUS and IRQ_ENABLE ---- */

/* Given any value of IRQ_ENABLE, a fence must latch both status registers and the line until INT_ACK. */
static void extension_latches_masked(struct agpu_test *t)
{
    static const uint32_t masks[] = {0, AEROGPU_LEGACY_IRQ_FENCE, AEROGPU_LEGACY_IRQ_VBLANK,
                                     AEROGPU_LEGACY_IRQ_FENCE | AEROGPU_LEGACY_IRQ_VBLANK};

    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, masks[i]);
        agpu_return_unless(agpu_legacy_run_empty(t));
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_IRQ_STATUS, AEROGPU_LEGACY_IRQ_FENCE);
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
        agpu_check_legacy_line(t, true);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, AEROGPU_LEGACY_INT_FENCE);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), 0); /* cleared with it */
        agpu_check_legacy_line(t, false);
    }
}

/* IRQ_ACK must clear IRQ_STATUS only; INT_STATUS and the line must stay. */
static void extension_ack_alone(struct agpu_test *t)
{
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, AEROGPU_LEGACY_IRQ_FENCE);
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_IRQ_STATUS, AEROGPU_LEGACY_IRQ_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ACK, AEROGPU_LEGACY_IRQ_FENCE);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_ENABLE), AEROGPU_LEGACY_IRQ_FENCE);
    agpu_check_legacy_line(t, true);
    /* The next fence sets it again, although INT_STATUS has not changed. */
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_IRQ_STATUS, AEROGPU_LEGACY_IRQ_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ACK, AEROGPU_LEGACY_IRQ_FENCE);
    /* Switching the scanout off clears the vblank interrupt, and no other. */
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, true);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, false);
}

/* IRQ_ENABLE must store its bits, and masking must not clear a pending FENCE. */
static void extension_mask(struct agpu_test *t)
{
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, AEROGPU_LEGACY_IRQ_FENCE | AEROGPU_LEGACY_IRQ_VBLANK);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_ENABLE),
                      AEROGPU_LEGACY_IRQ_FENCE | AEROGPU_LEGACY_IRQ_VBLANK);
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_IRQ_STATUS, AEROGPU_LEGACY_IRQ_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, 0);
    /* Masking drops VBLANK only. */
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), AEROGPU_LEGACY_IRQ_FENCE);
}

/* A doorbell, an empty ring or a write of RING_ENTRY_COUNT must not acknowledge a signalled fence. */
static void legacy_irq_stays(struct agpu_test *t)
{
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 7);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), AEROGPU_LEGACY_INT_FENCE);
    agpu_check_legacy_line(t, true);
}

/* ---- scanout ---- */

/* SCANOUT_FB_LO and SCANOUT_FB_HI must each hold what was written, whatever is written to the other. */
static void fb_staged(struct agpu_test *t)
{
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0x12345000);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0x00000009);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO), 0x12345000);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI), 0x00000009);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI), 0x00000009);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO), 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI), 0);
}

/* Switching the scanout off must drop a low half that was not committed. */
static void fb_staged_dropped(struct agpu_test *t)
{
    for (unsigned round = 0; round < 2; round++) {
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0x12345000);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0x9);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1); /* without a size nothing is shown */
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0x54321000);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO), 0x54321000);
        if (round == 1) {
            agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI, 0x7);
        }
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_LO),
                          round == 1 ? 0x54321000u : 0x12345000u);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FB_HI), round == 1 ? 0x7u : 0x9u);
    }
}

/* SCANOUT_FORMAT must store X8R8G8B8 and read 0 after an unknown format. */
static void legacy_irq_format(struct agpu_test *t)
{
    static const uint32_t invalid[] = {0, 2, 3, 0x101, 0xFFFFFFFF};

    for (unsigned i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, AEROGPU_LEGACY_SCANOUT_X8R8G8B8);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FORMAT),
                          AEROGPU_LEGACY_SCANOUT_X8R8G8B8);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, invalid[i]);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_FORMAT), 0);
    }
}

/* SCANOUT_ENABLE must read 1 after a write of any value except 0. */
static void legacy_irq_enable_normalised(struct agpu_test *t)
{
    static const uint32_t values[] = {1, 2, 0x80000000, 0xFFFFFFFF};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, values[i]);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE), 1);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
        agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE), 0);
    }
}

/* ---- vblank ---- */

static uint64_t legacy_irq_seq(const struct agpu_test *t)
{
    return agpu_reg_read64(agpu_legacy_rig(t).function, AEROGPU_LEGACY_REG_VBLANK_SEQ_LO);
}

static uint64_t legacy_irq_time_ns(const struct agpu_test *t)
{
    return agpu_reg_read64(agpu_legacy_rig(t).function, AEROGPU_LEGACY_REG_VBLANK_TIME_NS_LO);
}

static bool legacy_irq_wait_seq(struct agpu_test *t, uint64_t target)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, agpu_legacy_rig(t).function->platform, AGPU_RELAX_VBLANK);
    do {
        if (legacy_irq_seq(t) >= target) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    return agpu_check_ok(t, AGPU_ERR_TIMEOUT);
}

static void pass_periods(struct agpu_test *t, unsigned count)
{
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, agpu_legacy_rig(t).function->platform, AGPU_RELAX_VBLANK,
                       (uint64_t)count * agpu_legacy_read(t, AEROGPU_LEGACY_REG_VBLANK_PERIOD_NS));
    while (agpu_wait_again(&wait)) {
        ;
    }
}

/* Returns count and time of one edge. */
static void legacy_edge(const struct agpu_test *t, uint64_t *seq, uint64_t *time_ns)
{
    for (unsigned i = 0; i < 8; i++) {
        *seq = legacy_irq_seq(t);
        *time_ns = legacy_irq_time_ns(t);
        if (legacy_irq_seq(t) == *seq) {
            return;
        }
    }
}

/* The vblank count must advance only while the scanout is on, at 20 to 500 Hz. */
static void legacy_irq_counts(struct agpu_test *t)
{
    uint32_t period = agpu_legacy_read(t, AEROGPU_LEGACY_REG_VBLANK_PERIOD_NS);
    uint64_t before = legacy_irq_seq(t);
    uint64_t seq, last;

    agpu_check(t, period >= PERIOD_MIN_NS && period <= PERIOD_MAX_NS);
    pass_periods(t, 2);
    agpu_check_eq_u64(t, legacy_irq_seq(t), before); /* scanout is off */
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    agpu_return_unless(legacy_irq_wait_seq(t, before + 1));
    legacy_edge(t, &seq, &last);
    agpu_return_unless(legacy_irq_wait_seq(t, seq + 2));
    agpu_check(t, legacy_irq_time_ns(t) > last);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    before = legacy_irq_seq(t);
    pass_periods(t, 2);
    agpu_check_eq_u64(t, legacy_irq_seq(t), before);
}

/* Edges must be exactly one period apart, to the nanosecond, whatever is written in between. */
static void legacy_irq_clock(struct agpu_test *t)
{
    static const uint32_t others[] = {AEROGPU_LEGACY_REG_IRQ_ENABLE,     AEROGPU_LEGACY_REG_SCANOUT_FB_LO,
                                      AEROGPU_LEGACY_REG_SCANOUT_FB_HI,  AEROGPU_LEGACY_REG_SCANOUT_WIDTH,
                                      AEROGPU_LEGACY_REG_SCANOUT_HEIGHT, AEROGPU_LEGACY_REG_SCANOUT_PITCH,
                                      AEROGPU_LEGACY_REG_SCANOUT_FORMAT, AEROGPU_LEGACY_REG_SCANOUT_ENABLE,
                                      AEROGPU_LEGACY_REG_IRQ_ACK,        AEROGPU_LEGACY_REG_INT_ACK};
    const uint32_t period = agpu_legacy_read(t, AEROGPU_LEGACY_REG_VBLANK_PERIOD_NS);
    uint64_t first, last, began, ended;

    if (t->env->model) {
        agpu_check_eq_u64(t, period, 16666667);
    }
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    agpu_return_unless(legacy_irq_wait_seq(t, legacy_irq_seq(t) + 1));
    legacy_edge(t, &first, &began);
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        agpu_return_unless(legacy_irq_wait_seq(t, first + i / 4));
        agpu_legacy_write(t, others[i], 1);
    }
    agpu_return_unless(legacy_irq_wait_seq(t, first + 3));
    legacy_edge(t, &last, &ended);
    agpu_check_eq_u64(t, ended - began, (last - first) * period);
}

static bool wait_vblank_irq(struct agpu_test *t)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, agpu_legacy_rig(t).function->platform, AGPU_RELAX_VBLANK);
    do {
        if (agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS) & AEROGPU_LEGACY_IRQ_VBLANK) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    return agpu_check_ok(t, AGPU_ERR_TIMEOUT);
}

/* A vblank edge must raise IRQ_STATUS and the line only while enabled, and leave INT_STATUS unchanged. */
static void legacy_irq_interrupt(struct agpu_test *t)
{
    struct agpu_legacy_rig rig = agpu_legacy_rig(t);

    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    agpu_return_unless(legacy_irq_wait_seq(t, legacy_irq_seq(t) + 2));
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), 0); /* masked: not latched */
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, AEROGPU_LEGACY_IRQ_VBLANK);
    agpu_return_unless(wait_vblank_irq(t));
    agpu_check_legacy_line(t, true);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), 0);
    agpu_check_eq_hex(t, agpu_legacy_irq_service(rig.function, rig.features) & AGPU_LEGACY_CAUSE_VBLANK,
                      AGPU_LEGACY_CAUSE_VBLANK);
    agpu_return_unless(wait_vblank_irq(t));
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), 0); /* masking drops it */
    agpu_check_legacy_line(t, false);
}

/* A vblank edge that fell due before its interrupt was enabled must not raise it; the next edge must. */
static void legacy_old_edge(struct agpu_test *t)
{
    static const struct agpu_edge_registers registers = {
        .period = AEROGPU_LEGACY_REG_VBLANK_PERIOD_NS,
        .scanout_enable = AEROGPU_LEGACY_REG_SCANOUT_ENABLE,
        .seq_lo = AEROGPU_LEGACY_REG_VBLANK_SEQ_LO,
        .irq_enable = AEROGPU_LEGACY_REG_IRQ_ENABLE,
        .irq_status = AEROGPU_LEGACY_REG_IRQ_STATUS,
        .bit = AEROGPU_LEGACY_IRQ_VBLANK,
    };

    agpu_check_old_edge(t, &registers, wait_vblank_irq);
}

/* Switching the scanout off must clear a pending vblank interrupt and keep IRQ_ENABLE. */
static void scanout_off_drops(struct agpu_test *t)
{
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, AEROGPU_LEGACY_IRQ_VBLANK);
    agpu_return_unless(wait_vblank_irq(t));
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), 0);
    agpu_check_legacy_line(t, false);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_ENABLE), AEROGPU_LEGACY_IRQ_VBLANK);
}

/* INT_ACK must clear what IRQ_ACK could clear of FENCE only, and leave VBLANK pending. */
static void int_ack_keeps_vblank(struct agpu_test *t)
{
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_IRQ_ENABLE, AEROGPU_LEGACY_IRQ_VBLANK);
    agpu_return_unless(wait_vblank_irq(t));
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_INT_ACK, UINT32_MAX);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_IRQ_STATUS), AEROGPU_LEGACY_IRQ_VBLANK);
    agpu_check_legacy_line(t, true);
}

#define IRQ_CASE(name, need, bits, function)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = "legacy.md 2", .needs = (need), .flags = AGPU_CASE_LEGACY, .features = (bits), \
        .run = (function)                                                                                    \
    }
#define RING       AGPU_NEED_RING
#define FUNCTION   AGPU_NEED_FUNCTION
#define EXTENSIONS AEROGPU_LEGACY_FEATURE_VBLANK

static const struct agpu_case legacy_irq_cases[] = {
    IRQ_CASE("irq.legacy.fence_latches", RING, 0, legacy_irq_latches),
    IRQ_CASE("irq.legacy.ack_exact_bits", RING, 0, legacy_irq_ack_exact),
    IRQ_CASE("irq.legacy.again_after_ack", RING, 0, legacy_irq_again_after_ack),
    IRQ_CASE("irq.legacy.stays", RING, 0, legacy_irq_stays),
    IRQ_CASE("irq.legacy.line_many", RING, 0, legacy_line_many),
    IRQ_CASE("irq.legacy.without_master", RING, 0, legacy_without_master),
    IRQ_CASE("irq.legacy.intx_disable", RING, 0, legacy_irq_intx_disable),
    IRQ_CASE("irq.legacy.handler_pass", RING, 0, legacy_irq_handler_pass),
    IRQ_CASE("irq.legacy.extension_latches_masked", RING, EXTENSIONS, extension_latches_masked),
    IRQ_CASE("irq.legacy.extension_ack_alone", RING, EXTENSIONS, extension_ack_alone),
    IRQ_CASE("irq.legacy.extension_mask", RING, EXTENSIONS, extension_mask),
    IRQ_CASE("scanout.legacy.fb_staged", FUNCTION, 0, fb_staged),
    IRQ_CASE("scanout.legacy.fb_staged_dropped", FUNCTION, 0, fb_staged_dropped),
    IRQ_CASE("scanout.legacy.format", FUNCTION, 0, legacy_irq_format),
    IRQ_CASE("scanout.legacy.enable_normalised", FUNCTION, 0, legacy_irq_enable_normalised),
    IRQ_CASE("vblank.legacy.counts", FUNCTION, EXTENSIONS, legacy_irq_counts),
    IRQ_CASE("vblank.legacy.clock", FUNCTION, EXTENSIONS, legacy_irq_clock),
    IRQ_CASE("vblank.legacy.old_edge", FUNCTION, EXTENSIONS, legacy_old_edge),
    IRQ_CASE("vblank.legacy.interrupt", FUNCTION, EXTENSIONS, legacy_irq_interrupt),
    IRQ_CASE("vblank.legacy.int_ack_keeps", FUNCTION, EXTENSIONS, int_ack_keeps_vblank),
    IRQ_CASE("vblank.legacy.scanout_off_drops", FUNCTION, EXTENSIONS, scanout_off_drops),
};

AGPU_CASE_TABLE(agpu_cases_legacy_irq, legacy_irq_cases);
