/* irq.c: interrupt causes, mask and acknowledge as seen in the registers (device.md 4.4). irq_line.c has the line. */
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/edge.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/rounds.h"

/* More rounds than a loss of one in some hundreds needs to show. */
#define MANY 1030u

static void function_irq_enable(const struct agpu_test *t, uint32_t mask)
{
    agpu_irq_enable(&t->env->function, mask);
}

static bool run_flagged(struct agpu_test *t, uint32_t flags)
{
    struct agpu_submission submission = {.fence = ++t->env->rig.fence, .flags = flags};

    return agpu_submit_wait(t, &submission);
}

/* Runs a submission that the device refuses; leaves ERROR pending. */
static bool run_refused(struct agpu_test *t)
{
    return agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ);
}

/* Checks that no interrupt is pending. A fence may become visible shortly before its interrupt, so this waits first. */
static bool check_no_irq(struct agpu_test *t, const char *what, uint32_t value)
{
    agpu_settle(t);
    return agpu_check_place(t, what, value, agpu_irq_status(&t->env->function), 0);
}

/* With FENCE enabled, a fence must set FENCE in IRQ_STATUS, and an acknowledge must clear it. */
static void function_irq_latches(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, 0);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, 0);
}

/* Given a mask without FENCE, a fence must not set its bit in IRQ_STATUS, whatever else is enabled, nor when FENCE is
 * enabled later. */
static void masked_not_latched(struct agpu_test *t)
{
    static const uint32_t masks[] = {0, AEROGPU_IRQ_ERROR, AEROGPU_IRQ_SCANOUT_VBLANK, ~AEROGPU_IRQ_FENCE};

    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        function_irq_enable(t, masks[i]);
        agpu_return_unless(agpu_run_empty(t));
        check_no_irq(t, "IRQ_STATUS after a fence with IRQ_ENABLE", masks[i]);
        /* Enabling it later must not bring the interrupt back. */
        function_irq_enable(t, masks[i] | AEROGPU_IRQ_FENCE);
        check_no_irq(t, "IRQ_STATUS when FENCE was enabled after it, added to", masks[i]);
    }
}

/* Given three fences without an acknowledge, one acknowledge must clear the interrupt. */
static void function_irq_coalesces(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    }
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    check_no_irq(t, "IRQ_STATUS after one acknowledge of fences:", 3);
}

/* Every fence must raise its interrupt and every acknowledge must clear it, over a thousand rounds. */
static void function_irq_again_after_ack(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (agpu_rounds_begin(&rounds, t, MANY); agpu_rounds_next(&rounds);) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
        agpu_return_unless(agpu_check_place(t, "IRQ_STATUS after acknowledge number", rounds.number,
                                            agpu_irq_status(&t->env->function), 0));
    }
}

/* Given bit 1 of the descriptor's flags (NO_IRQ), the fence must not interrupt; no other bit may suppress the
 * interrupt. */
static void no_irq_flag(struct agpu_test *t)
{
    static const uint32_t with[] = {AEROGPU_SUBMIT_FLAG_NO_IRQ,
                                    AEROGPU_SUBMIT_FLAG_NO_IRQ | AEROGPU_SUBMIT_FLAG_PRESENT, 0xFFFFFFFF};
    static const uint32_t without[] = {AEROGPU_SUBMIT_FLAG_NONE, AEROGPU_SUBMIT_FLAG_PRESENT, 0x4, 0x80000000,
                                       ~AEROGPU_SUBMIT_FLAG_NO_IRQ};

    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < sizeof with / sizeof with[0]; i++) {
        agpu_return_unless(run_flagged(t, with[i]));
        check_no_irq(t, "IRQ_STATUS after a submission with flags", with[i]);
    }
    for (unsigned i = 0; i < sizeof without / sizeof without[0]; i++) {
        agpu_return_unless(run_flagged(t, without[i]));
        if (!agpu_check_irq(t, AEROGPU_IRQ_FENCE)) {
            agpu_check_place(t, "IRQ_STATUS after a submission with flags", without[i],
                             agpu_irq_status(&t->env->function), AEROGPU_IRQ_FENCE);
        }
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
        agpu_check_irq(t, 0);
    }
}

/* Given a batch of three of which only one wants an interrupt, the device must raise it, whichever one it is. */
static void batch_wants_one(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;

    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned one = 0; one < 4; one++) { /* 3: none of them */
        for (unsigned i = 0; i < 3; i++) {
            struct agpu_submission submission = {
                .fence = ++t->env->rig.fence,
                .flags = i == one ? AEROGPU_SUBMIT_FLAG_NONE : AEROGPU_SUBMIT_FLAG_NO_IRQ,
            };

            agpu_assert_ok(t, agpu_ring_wait_room(ring));
            agpu_assert_ok(t, agpu_ring_post(ring, &submission));
        }
        agpu_doorbell(ring);
        agpu_assert_ok(t, agpu_fence_wait(ring, t->env->rig.fence));
        if (one < 3) {
            agpu_check_irq(t, AEROGPU_IRQ_FENCE);
        } else {
            check_no_irq(t, "IRQ_STATUS after a batch with NO_IRQ:", 0);
        }
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    }
}

/* A failed submission must complete its fence with the usual interrupt, unless it has NO_IRQ. */
static void failed_raises(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NONE));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    agpu_return_unless(run_refused(t));
    agpu_settle(t);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
}

static bool both_pending(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    return agpu_run_empty(t) && run_refused(t) && agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
}

/* Given FENCE and ERROR pending, an acknowledge must clear exactly the bits that it names. */
static void function_irq_ack_exact(struct agpu_test *t)
{
    static const uint32_t spared[] = {0, AEROGPU_IRQ_SCANOUT_VBLANK, 0x40000000,
                                      ~(AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR)};
    static const struct {
        uint32_t ack, left;
    } steps[] = {{AEROGPU_IRQ_FENCE, AEROGPU_IRQ_ERROR},     {AEROGPU_IRQ_ERROR, AEROGPU_IRQ_FENCE},
                 {AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR, 0}, {~AEROGPU_IRQ_FENCE, AEROGPU_IRQ_FENCE},
                 {~AEROGPU_IRQ_ERROR, AEROGPU_IRQ_ERROR},    {UINT32_MAX, 0}};

    agpu_return_unless(both_pending(t));
    for (unsigned i = 0; i < sizeof spared / sizeof spared[0]; i++) {
        agpu_irq_ack(&t->env->function, spared[i]);
        agpu_check_place(t, "IRQ_STATUS after acknowledging", spared[i], agpu_irq_status(&t->env->function),
                         AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    }
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        agpu_return_unless(both_pending(t));
        agpu_irq_ack(&t->env->function, steps[i].ack);
        agpu_check_place(t, "IRQ_STATUS after acknowledging", steps[i].ack,
                         agpu_irq_status(&t->env->function), steps[i].left);
        agpu_check_place(t, "IRQ_ENABLE after acknowledging", steps[i].ack,
                         agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_FENCE);
    }
}

/* Acknowledging ERROR must keep ERROR_CODE, ERROR_FENCE and ERROR_COUNT. */
static void ack_keeps_error_registers(struct agpu_test *t)
{
    struct agpu_error_info info;

    t->env->rig.fence = UINT64_C(0x500000006);
    agpu_return_unless(run_refused(t));
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    info = agpu_error_info(t->env);
    agpu_check(t, info.code != AEROGPU_ERROR_NONE);
    agpu_check_eq_hex(t, info.fence, UINT64_C(0x500000007));
    agpu_check_eq_u64(t, info.count, 1);
}

/* A masked error must become pending in IRQ_STATUS, and stay so through mask changes until it is acknowledged. */
static void error_latches_masked(struct agpu_test *t)
{
    function_irq_enable(t, 0);
    agpu_return_unless(run_refused(t));
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    function_irq_enable(t, AEROGPU_IRQ_ERROR);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    /* Masking it again leaves it pending. */
    function_irq_enable(t, 0);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    /* An acknowledge clears it under any mask, although the error registers still describe the error. */
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    for (unsigned i = 0; i < 4; i++) {
        function_irq_enable(t, i % 2 ? 0 : AEROGPU_IRQ_ERROR | AEROGPU_IRQ_FENCE);
        check_no_irq(t, "IRQ_STATUS after an acknowledged error, IRQ_ENABLE written again:", i);
    }
}

/* Each error must set ERROR again, with or without an acknowledge in between. */
static void error_each_time(struct agpu_test *t)
{
    for (unsigned i = 1; i <= 40; i++) {
        function_irq_enable(t, i % 2 ? AEROGPU_IRQ_ERROR : 0);
        agpu_return_unless(run_refused(t));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_ERROR));
        if (i % 3 != 0) {
            agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
            agpu_check_place(t, "IRQ_STATUS after acknowledging error number", i,
                             agpu_irq_status(&t->env->function), 0);
        }
    }
}

/* An acknowledged error must not become pending again with later fences, although its registers still describe it. */
static void error_stays_away(struct agpu_test *t)
{
    static const uint32_t masks[] = {AEROGPU_IRQ_FENCE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR, UINT32_MAX};

    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        function_irq_enable(t, masks[i]);
        agpu_return_unless(run_refused(t));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_ERROR));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
        for (unsigned fence = 0; fence < 3; fence++) {
            agpu_return_unless(agpu_run_empty(t));
            agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
            agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
        }
        agpu_check_irq(t, 0);
    }
}

/* A pending cause must not prevent another one from becoming pending: each of the three comes last once. */
static void causes_beside_others(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint32_t all = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR;

    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    function_irq_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(run_refused(t));
    agpu_return_unless(agpu_check_irq(t, all)); /* at the next edge at the latest */
    for (unsigned i = 0; i < 4; i++) {
        agpu_irq_ack(function, i % 2 ? AEROGPU_IRQ_FENCE : AEROGPU_IRQ_ERROR);
        agpu_return_unless(i % 2 ? agpu_run_empty(t) : run_refused(t));
        agpu_return_unless(agpu_check_irq(t, all));
        agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_return_unless(agpu_check_irq(t, all));
    }
    /* Clearing one leaves the others. */
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
}

/* Masking FENCE must clear its pending interrupt, and enabling it again must not bring it back. */
static void masking_drops_fence(struct agpu_test *t)
{
    static const uint32_t masks[] = {0, ~AEROGPU_IRQ_FENCE, AEROGPU_IRQ_ERROR};

    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        function_irq_enable(t, AEROGPU_IRQ_FENCE);
        agpu_return_unless(agpu_run_empty(t));
        agpu_check_irq(t, AEROGPU_IRQ_FENCE);
        function_irq_enable(t, masks[i]);
        agpu_check_place(t, "IRQ_STATUS after IRQ_ENABLE became", masks[i],
                         agpu_irq_status(&t->env->function), 0);
        function_irq_enable(t, AEROGPU_IRQ_FENCE);
        agpu_check_place(t, "IRQ_STATUS when enabled again after", masks[i],
                         agpu_irq_status(&t->env->function), 0);
    }
}

/* A write of IRQ_ENABLE that leaves FENCE enabled must keep its pending interrupt. */
static void masking_others_keeps_fence(struct agpu_test *t)
{
    static const uint32_t masks[] = {AEROGPU_IRQ_FENCE, UINT32_MAX, AEROGPU_IRQ_FENCE | 0x80,
                                     AEROGPU_IRQ_FENCE};

    function_irq_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        function_irq_enable(t, masks[i]);
        agpu_check_place(t, "IRQ_STATUS after IRQ_ENABLE became", masks[i],
                         agpu_irq_status(&t->env->function), AEROGPU_IRQ_FENCE);
    }
}

/* A masked fence and an error beside it must both stay pending. */
static void masking_keeps_both(struct agpu_test *t)
{
    static const uint32_t masks[] = {AEROGPU_IRQ_FENCE, UINT32_MAX, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR,
                                     AEROGPU_IRQ_FENCE};

    agpu_return_unless(both_pending(t));
    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        function_irq_enable(t, masks[i]);
        agpu_check_place(t, "IRQ_STATUS with both pending after IRQ_ENABLE became", masks[i],
                         agpu_irq_status(&t->env->function), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    }
}

/* Changes of INTx Disable and Bus Master must not change the pending or the enabled interrupts. */
static void command_keeps_pending(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);
    static const uint16_t flips[] = {AGPU_PCI_COMMAND_INTX_OFF, AGPU_PCI_COMMAND_MASTER};

    for (unsigned i = 0; i < 2; i++) {
        function_irq_enable(t, AEROGPU_IRQ_FENCE);
        agpu_return_unless(agpu_run_empty(t));
        agpu_check_irq(t, AEROGPU_IRQ_FENCE);
        for (unsigned round = 0; round < 4; round++) {
            agpu_command_write(function, round % 2 ? on : on ^ flips[i]);
            agpu_check_place(t, "IRQ_STATUS after the command register became",
                             round % 2 ? on : on ^ flips[i], agpu_irq_status(function), AEROGPU_IRQ_FENCE);
            agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_FENCE);
        }
        agpu_irq_ack(function, UINT32_MAX);
    }
    /* It becomes pending and is acknowledged while the line is off. */
    agpu_command_write(function, on | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    agpu_irq_ack(function, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, 0);
    agpu_command_write(function, on);
}

/* Given FENCE and ERROR pending, one pass of the driver's handler must return both and clear them. */
static void function_irq_handler_pass(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(run_refused(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_check_eq_hex(t, agpu_irq_service(&t->env->function), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_check_irq(t, 0);
    agpu_check_eq_hex(t, agpu_irq_service(&t->env->function), 0);
}

/* ---- an edge that comes while no wait is in progress ---- */

static bool next_edge_comes(struct agpu_test *t)
{
    return agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
}

/* A vblank edge that fell due before its interrupt was enabled must not raise it; the next edge must. */
static void old_edge(struct agpu_test *t)
{
    static const struct agpu_edge_registers registers = {
        .period = AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS,
        .scanout_enable = AEROGPU_MMIO_REG_SCANOUT0_ENABLE,
        .seq_lo = AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO,
        .irq_enable = AEROGPU_MMIO_REG_IRQ_ENABLE,
        .irq_status = AEROGPU_MMIO_REG_IRQ_STATUS,
        .bit = AEROGPU_IRQ_SCANOUT_VBLANK,
    };

    agpu_check_old_edge(t, &registers, next_edge_comes);
}

#define IRQ_CASE(name, function, feature)                                                                    \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.4", .needs = AGPU_NEED_RING, .features = (feature),               \
        .run = (function)                                                                                    \
    }
#define ERROR_INFO AEROGPU_FEATURE_ERROR_INFO

static const struct agpu_case function_irq_cases[] = {
    IRQ_CASE("irq.fence.latches", function_irq_latches, 0),
    IRQ_CASE("irq.fence.masked_not_latched", masked_not_latched, 0),
    IRQ_CASE("irq.fence.coalesces", function_irq_coalesces, 0),
    IRQ_CASE("irq.fence.again_after_ack", function_irq_again_after_ack, 0),
    IRQ_CASE("irq.fence.no_irq_flag", no_irq_flag, 0),
    IRQ_CASE("irq.fence.batch_wants_one", batch_wants_one, 0),
    IRQ_CASE("irq.fence.of_failed", failed_raises, ERROR_INFO),
    IRQ_CASE("irq.ack.exact_bits", function_irq_ack_exact, ERROR_INFO),
    IRQ_CASE("irq.ack.keeps_error_registers", ack_keeps_error_registers, ERROR_INFO),
    IRQ_CASE("irq.error.latches_masked", error_latches_masked, ERROR_INFO),
    IRQ_CASE("irq.error.each_time", error_each_time, ERROR_INFO),
    IRQ_CASE("irq.error.stays_away", error_stays_away, ERROR_INFO),
    IRQ_CASE("irq.causes.beside_others", causes_beside_others,
             ERROR_INFO | AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT),
    IRQ_CASE("irq.enable.masking_drops_fence", masking_drops_fence, 0),
    IRQ_CASE("irq.enable.masking_others_keeps_fence", masking_others_keeps_fence, 0),
    IRQ_CASE("irq.enable.masking_keeps_both", masking_keeps_both, ERROR_INFO),
    IRQ_CASE("irq.command.keeps_pending", command_keeps_pending, 0),
    IRQ_CASE("irq.handler.pass", function_irq_handler_pass, ERROR_INFO),
    IRQ_CASE("irq.vblank.old_edge", old_edge, AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT),
};

AGPU_CASE_TABLE(agpu_cases_function_irq, function_irq_cases);
