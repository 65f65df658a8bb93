/* irq_line.c: the INTx line, a level that follows IRQ_STATUS & IRQ_ENABLE. Every case is a SKIP on a machine that
 * cannot read the line (device.md 4.4). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/line.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/rounds.h"

/* A loss of one in a hundred shows; a machine may take 50 ms for each change of the line. */
#define MANY 150u

#define require_line(t) agpu_require((t), agpu_line_level(t) >= 0, AGPU_SKIP_INTX_LEVEL)

static bool check_line(struct agpu_test *t, bool asserted, const char *what)
{
    const int level = agpu_line_wait(t, asserted, agpu_line_touch_status, &t->env->function);

    if (level < 0) {
        agpu_skip(t, AGPU_SKIP_INTX_LEVEL); /* the line is now shared with another function */
        return false;
    }
    return agpu_check_u64(t, level > 0, asserted, what, false, AGPU_HERE);
}

/* Checks that the line has this level, now and after a while. */
static bool check_line_stays(struct agpu_test *t, bool asserted, const char *what)
{
    if (!check_line(t, asserted, what)) {
        return false;
    }
    agpu_settle(t);
    return check_line(t, asserted, what);
}

static void line_enable(const struct agpu_test *t, uint32_t mask)
{
    agpu_irq_enable(&t->env->function, mask);
}

static void line_ack(const struct agpu_test *t, uint32_t causes)
{
    agpu_irq_ack(&t->env->function, causes);
}

static bool line_refused(struct agpu_test *t)
{
    return agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ);
}

/* With FENCE enabled, the line must rise with a fence and drop with its acknowledge, whatever unknown bits IRQ_ENABLE
 * has. */
static void line_follows(struct agpu_test *t)
{
    require_line(t);
    check_line(t, false, "line of a quiet device");
    line_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    check_line_stays(t, true, "line with FENCE pending");
    agpu_return_unless(agpu_run_empty(t));
    check_line_stays(t, true, "line with FENCE pending for two");
    line_ack(t, AEROGPU_IRQ_FENCE);
    check_line_stays(t, false, "line after the acknowledge");
    for (uint32_t i = 0; i < 3; i++) { /* bits of no cause change nothing */
        line_enable(t, AEROGPU_IRQ_FENCE | (i == 0 ? 0x7FFF0000 : i == 1 ? 0xFFFC : UINT32_MAX));
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(check_line(t, true, "line with FENCE pending and other bits of IRQ_ENABLE set"));
        line_ack(t, AEROGPU_IRQ_FENCE);
        agpu_return_unless(check_line(t, false, "line after the acknowledge, those bits set"));
    }
}

/* A masked fence must not raise the line, nor when it is enabled later; masking a pending one must drop the line. */
static void masked_fence_line(struct agpu_test *t)
{
    require_line(t);
    agpu_return_unless(agpu_run_empty(t));
    check_line_stays(t, false, "line with FENCE masked");
    line_enable(t, AEROGPU_IRQ_FENCE);
    check_line_stays(t, false, "line when FENCE is enabled after the fence");
    agpu_return_unless(agpu_run_empty(t));
    check_line(t, true, "line with FENCE pending");
    line_enable(t, AEROGPU_IRQ_ERROR);
    check_line_stays(t, false, "line when FENCE is masked while pending");
}

/* A pending error must raise the line only while it is enabled. */
static void masked_error_line(struct agpu_test *t)
{
    require_line(t);
    agpu_return_unless(line_refused(t));
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    check_line_stays(t, false, "line with a masked ERROR pending");
    for (unsigned i = 0; i < 3; i++) {
        line_enable(t, AEROGPU_IRQ_ERROR);
        check_line(t, true, "line when a pending ERROR is enabled");
        line_enable(t, AEROGPU_IRQ_FENCE);
        check_line(t, false, "line when a pending ERROR is masked");
    }
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
    line_enable(t, AEROGPU_IRQ_ERROR);
    check_line(t, true, "line when a pending ERROR is enabled");
    line_ack(t, AEROGPU_IRQ_ERROR);
    check_line_stays(t, false, "line after ERROR was acknowledged");
}

/* With two causes pending, the line must drop when the last is acknowledged, in either order; masked causes do not
 * count. */
static void line_of_two(struct agpu_test *t)
{
    static const uint32_t order[] = {AEROGPU_IRQ_FENCE, AEROGPU_IRQ_ERROR};

    require_line(t);
    for (unsigned first = 0; first < 2; first++) {
        line_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(line_refused(t));
        agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
        check_line(t, true, "line with FENCE and ERROR pending");
        line_ack(t, 0);
        line_ack(t, AEROGPU_IRQ_SCANOUT_VBLANK);
        check_line_stays(t, true, "line after an acknowledge of neither");
        line_ack(t, order[first]);
        check_line_stays(t, true,
                         first ? "line with FENCE left after ERROR was acknowledged"
                               : "line with ERROR left after FENCE was acknowledged");
        line_ack(t, order[1 - first]);
        check_line_stays(t, false, "line after both were acknowledged");
    }
}

/* With INTx Disable set, the line must stay down while FENCE is pending, and rise when it is cleared. */
static void line_intx_disable(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t command = agpu_command_read(function);

    require_line(t);
    line_enable(t, AEROGPU_IRQ_FENCE);
    agpu_command_write(function, command | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE); /* only the line changes, not IRQ_STATUS */
    check_line_stays(t, false, "line under INTx disable");
    agpu_command_write(function, command);
    check_line(t, true, "line when INTx disable is cleared");
    agpu_command_write(function, command | AGPU_PCI_COMMAND_INTX_OFF);
    check_line(t, false, "line when INTx disable is set with FENCE pending");
    line_ack(t, AEROGPU_IRQ_FENCE);
    agpu_command_write(function, command);
    check_line_stays(t, false, "line after an acknowledge under INTx disable");
}

/* With Bus Master clear, the line must still follow IRQ_STATUS (device.md 2.1). */
static void line_without_master(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t command = agpu_command_read(function);

    require_line(t);
    line_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(line_refused(t));
    check_line(t, true, "line with FENCE pending");
    agpu_command_write(function, command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    check_line_stays(t, true, "line with FENCE pending and Bus Master off");
    line_ack(t, AEROGPU_IRQ_FENCE);
    check_line(t, false, "line after the acknowledge with Bus Master off");
    line_enable(t, AEROGPU_IRQ_ERROR);
    check_line(t, true, "line when a pending ERROR is enabled with Bus Master off");
    agpu_command_write(function, command);
    check_line_stays(t, true, "line with ERROR pending and Bus Master on again");
}

/* With Memory Space clear, the line must still follow IRQ_STATUS (device.md 2). */
static void line_without_memory(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t command = agpu_command_read(function);

    require_line(t);
    line_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_run_empty(t));
    check_line(t, true, "line with FENCE pending");
    agpu_command_write(function, command & (uint16_t)~AGPU_PCI_COMMAND_MEMORY);
    check_line_stays(t, true, "line with FENCE pending and Memory Space off");
    agpu_command_write(function, command);
    check_line(t, true, "line with FENCE pending and Memory Space on again");
    line_ack(t, AEROGPU_IRQ_FENCE);
    check_line(t, false, "line after the acknowledge");
}

/* A ring reset must clear the causes and leave the mask: the line drops, and works again afterwards. */
static void line_reset(struct agpu_test *t)
{
    require_line(t);
    line_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(line_refused(t));
    check_line(t, true, "line with FENCE and ERROR pending");
    agpu_assert_ok(t, t->env->transport.reset(t->env->transport.ctx));
    check_line_stays(t, false, "line after a ring reset");
    agpu_check_irq(t, 0);
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                      AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    t->env->rig.fence = 0;
    agpu_return_unless(agpu_run_empty(t));
    check_line(t, true, "line with FENCE pending after a ring reset");
}

/* The next edge may raise the line again before a slow machine reads it, so each read follows an acknowledge. */
static bool check_vblank_ack_drops_line(struct agpu_test *t)
{
    struct agpu_wait wait;
    bool seen;

    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_IDLE, agpu_line_bound_ns(t));
    do {
        line_ack(t, AEROGPU_IRQ_SCANOUT_VBLANK);
        seen = agpu_line_level(t) > 0;
    } while (seen && agpu_wait_again(&wait));
    return agpu_check_u64(t, seen, false, "line after VBLANK was acknowledged", false, AGPU_HERE);
}

/* An enabled vblank edge must raise the line; an acknowledge, or switching the scanout off, must drop it. */
static void line_vblank(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    require_line(t);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    for (unsigned i = 0; i < 2; i++) {
        line_enable(t, AEROGPU_IRQ_SCANOUT_VBLANK);
        check_line(t, true, "line with VBLANK pending");
        agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
        check_vblank_ack_drops_line(t);
        line_enable(t, 0);
    }
    line_enable(t, AEROGPU_IRQ_SCANOUT_VBLANK);
    check_line(t, true, "line with VBLANK pending");
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    check_line_stays(t, false, "line when scanout went off with VBLANK pending");
}

/* The line must rise with every fence and drop with every acknowledge, over many rounds. */
static void line_many(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    require_line(t);
    line_enable(t, AEROGPU_IRQ_FENCE);
    for (agpu_rounds_begin(&rounds, t, MANY); agpu_rounds_next(&rounds);) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(check_line(t, true, "line after one of many fences"));
        line_ack(t, AEROGPU_IRQ_FENCE);
        agpu_return_unless(check_line(t, false, "line after one of many acknowledges"));
    }
}

#define LINE_CASE(name, function, feature)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.4", .needs = AGPU_NEED_RING, .features = (feature),               \
        .run = (function)                                                                                    \
    }

static const struct agpu_case function_irq_line_cases[] = {
    LINE_CASE("irq.line.follows", line_follows, 0),
    LINE_CASE("irq.line.masked_fence", masked_fence_line, 0),
    LINE_CASE("irq.line.masked_error", masked_error_line, AEROGPU_FEATURE_ERROR_INFO),
    LINE_CASE("irq.line.of_two", line_of_two, AEROGPU_FEATURE_ERROR_INFO),
    LINE_CASE("irq.line.intx_disable", line_intx_disable, 0),
    LINE_CASE("irq.line.without_master", line_without_master, AEROGPU_FEATURE_ERROR_INFO),
    LINE_CASE("irq.line.without_memory_space", line_without_memory, 0),
    LINE_CASE("irq.line.after_reset", line_reset, AEROGPU_FEATURE_ERROR_INFO),
    LINE_CASE("irq.line.vblank", line_vblank, AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT),
    LINE_CASE("irq.line.many", line_many, 0),
};

AGPU_CASE_TABLE(agpu_cases_function_irq_line, function_irq_line_cases);
