/* irq.c: interrupt causes, mask, acknowledge, and the INTx line where the machine can see it
 * (device.md 4.4). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

/* For a changed level to reach the interrupt controller: far above what any machine needs. */
#define LINE_NS 200000000u

static void function_irq_enable(const struct agpu_test *t, uint32_t mask)
{
    agpu_irq_enable(&t->env->function, mask);
}

static int function_irq_line(const struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;

    return platform->intx_level(platform->ctx, &t->env->function.found.ref);
}

/* The line where it can be seen. A device signals it apart from its registers, and a machine may deliver a
 * stale level once more after an acknowledge, so it is given a bounded time to arrive. */
static void check_line(struct agpu_test *t, bool asserted)
{
    struct agpu_wait wait;

    if (function_irq_line(t) < 0) {
        return;
    }
    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_IDLE, LINE_NS);
    while ((function_irq_line(t) > 0) != asserted) {
        agpu_irq_status(&t->env->function); /* some machines take the level up at an access to the device */
        if (!agpu_wait_again(&wait)) {
            break;
        }
    }
    agpu_check_eq_u64(t, function_irq_line(t) > 0, asserted);
}

static bool run_no_irq(struct agpu_test *t)
{
    struct agpu_submission submission = {.fence = ++t->env->rig.fence, .flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};

    return agpu_submit_wait(t, &submission);
}

/* A submission that is refused; leaves ERROR pending. */
static bool run_refused(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct aerogpu_submit_desc desc = {
        .desc_size_bytes = sizeof desc,
        .flags = AEROGPU_SUBMIT_FLAG_NO_IRQ,
        .cmd_gpa = t->env->rig.cmd.device_address,
        .cmd_size_bytes = 8,
    };
    struct agpu_error_info before = agpu_error_info(t->env);

    desc.signal_fence = ++t->env->rig.fence;
    if (!agpu_check_ok(t, agpu_ring_post_desc(ring, &desc))) {
        return false;
    }
    agpu_doorbell(ring);
    return agpu_wait_error_count(t, before.count + 1);
}

static void function_irq_latches(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, 0);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    check_line(t, true);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, 0);
    check_line(t, false);
}

static void masked_not_latched(struct agpu_test *t)
{
    function_irq_enable(t, 0);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, 0);
    /* Enabling later does not bring it back. */
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_settle(t);
    agpu_check_irq(t, 0);
    check_line(t, false);
}

static void function_irq_coalesces(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_settle(t);
    agpu_check_irq(t, 0);
}

static void function_irq_again_after_ack(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_check_irq(t, AEROGPU_IRQ_FENCE);
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
        agpu_check_irq(t, 0);
    }
}

static void no_irq_flag(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(run_no_irq(t));
    agpu_check_irq(t, 0);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
}

static void batch_wants_one(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_submission submission = {0};

    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < 3; i++) {
        submission.fence = i + 1;
        submission.flags = i == 1 ? AEROGPU_SUBMIT_FLAG_NONE : AEROGPU_SUBMIT_FLAG_NO_IRQ;
        agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    }
    t->env->rig.fence = 2;
    agpu_return_unless(agpu_run_empty(t)); /* fence 3 again plus one doorbell for all */
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
}

static void function_irq_ack_exact(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(run_refused(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_irq_ack(&t->env->function, 0);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    agpu_check_irq(t, 0);
}

static void ack_keeps_error_registers(struct agpu_test *t)
{
    struct agpu_error_info before;
    struct agpu_error_info after;

    agpu_return_unless(run_refused(t));
    before = agpu_error_info(t->env);
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    after = agpu_error_info(t->env);
    agpu_check_eq_u64(t, after.code, before.code);
    agpu_check_eq_u64(t, after.fence, before.fence);
    agpu_check_eq_u64(t, after.count, before.count);
}

static void error_latches_masked(struct agpu_test *t)
{
    function_irq_enable(t, 0);
    agpu_return_unless(run_refused(t));
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    check_line(t, false);
    /* Unmasking a pending error asserts the line for it. */
    function_irq_enable(t, AEROGPU_IRQ_ERROR);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    check_line(t, true);
    /* Masking it again keeps it pending. */
    function_irq_enable(t, 0);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    check_line(t, false);
}

static void masking_drops_fence(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    function_irq_enable(t, 0);
    agpu_check_irq(t, 0);
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, 0);
}

static void masking_others_keeps_fence(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_empty(t));
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
}

static void function_irq_intx_disable(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t command = agpu_command_read(function);

    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_command_write(function, command | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_return_unless(agpu_run_empty(t));
    /* Latching is unaffected, only the line is. */
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_FENCE);
    check_line(t, false);
    agpu_command_write(function, command);
    check_line(t, true);
}

static void line_follows(struct agpu_test *t)
{
    agpu_require(t, function_irq_line(t) >= 0, "a machine that can see the INTx line");
    check_line(t, false);
    function_irq_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    check_line(t, true);
    agpu_return_unless(agpu_run_empty(t));
    check_line(t, true);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    check_line(t, false);
}

static void function_irq_handler_pass(struct agpu_test *t)
{
    function_irq_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(run_refused(t));
    agpu_check_eq_hex(t, agpu_irq_service(&t->env->function), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_check_irq(t, 0);
    check_line(t, false);
    agpu_check_eq_hex(t, agpu_irq_service(&t->env->function), 0);
}

#define IRQ_CASE(name, function, feature)                                                                    \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.4", .needs = AGPU_NEED_RING, .features = (feature),               \
        .run = (function)                                                                                    \
    }

static const struct agpu_case cases[] = {
    IRQ_CASE("irq.fence.latches", function_irq_latches, 0),
    IRQ_CASE("irq.fence.masked_not_latched", masked_not_latched, 0),
    IRQ_CASE("irq.fence.coalesces", function_irq_coalesces, 0),
    IRQ_CASE("irq.fence.again_after_ack", function_irq_again_after_ack, 0),
    IRQ_CASE("irq.fence.no_irq_flag", no_irq_flag, 0),
    IRQ_CASE("irq.fence.batch_wants_one", batch_wants_one, 0),
    IRQ_CASE("irq.ack.exact_bits", function_irq_ack_exact, AEROGPU_FEATURE_ERROR_INFO),
    IRQ_CASE("irq.ack.keeps_error_registers", ack_keeps_error_registers, AEROGPU_FEATURE_ERROR_INFO),
    IRQ_CASE("irq.error.latches_masked", error_latches_masked, AEROGPU_FEATURE_ERROR_INFO),
    IRQ_CASE("irq.enable.masking_drops_fence", masking_drops_fence, 0),
    IRQ_CASE("irq.enable.masking_others_keeps_fence", masking_others_keeps_fence, 0),
    IRQ_CASE("irq.line.intx_disable", function_irq_intx_disable, 0),
    IRQ_CASE("irq.line.follows", line_follows, 0),
    IRQ_CASE("irq.handler.pass", function_irq_handler_pass, AEROGPU_FEATURE_ERROR_INFO),
};

AGPU_CASE_TABLE(agpu_cases_function_irq, cases);
