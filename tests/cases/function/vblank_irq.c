/* vblank_irq.c: the vblank edges that raise the interrupt (device.md 4.4, 4.7). */
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

/* Attempts: an edge may come just during the read. */
#define OLD_EDGE_TRIES 10u

/* Each vblank edge must set the enabled interrupt bit, and set it again after an acknowledge. */
static void irq_latches(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_vblank_edge edge;

    agpu_irq_enable(function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
        agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        /* The next edge sets the bit again. */
        agpu_return_unless(agpu_vblank_next(t, &edge));
    }
    agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
}

/* With every interrupt but VBLANK enabled, an edge must not set VBLANK in IRQ_STATUS. */
static void irq_masked(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_start(t, &edge));
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
    /* All other bits of the mask leave it masked. */
    agpu_irq_enable(&t->env->function, ~AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_next(t, &edge));
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

/* Switching the scanout off must clear a pending VBLANK and leave IRQ_ENABLE unchanged; no further edge comes. */
static void disable_clears_irq(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
    agpu_scanout_enable(t, 0);
    agpu_check_irq(t, 0);
    agpu_check_u64(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                   AEROGPU_IRQ_SCANOUT_VBLANK, "IRQ_ENABLE after the scanout went off", true, AGPU_HERE);
    /* The same for an edge that fell due while no register was accessed. */
    agpu_scanout_enable(t, 1);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_vblank_stall(t, 10);
    agpu_scanout_enable(t, 0);
    agpu_check_irq(t, 0);
    agpu_vblank_stall(t, 10);
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

/* Given a latched VBLANK interrupt, masking it in IRQ_ENABLE must clear its bit in IRQ_STATUS. */
static void masking_clears_irq(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
    agpu_irq_enable(&t->env->function, 0);
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
}

/* A write of IRQ_ENABLE that leaves VBLANK enabled must leave it pending. No edge comes in between; it would set the
 * bit again. */
static void other_masks_keep_irq(struct agpu_test *t)
{
    static const uint32_t masks[] = {
        AEROGPU_IRQ_SCANOUT_VBLANK, AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR, UINT32_MAX,
        AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_FENCE, AEROGPU_IRQ_SCANOUT_VBLANK};
    struct agpu_vblank_edge edge;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        agpu_irq_enable(&t->env->function, masks[i]);
        agpu_return_unless(agpu_check_place(t, "IRQ_STATUS with VBLANK pending, IRQ_ENABLE now", masks[i],
                                            agpu_irq_status(&t->env->function), AEROGPU_IRQ_SCANOUT_VBLANK));
    }
}

/* An edge that fell due while the device was not accessed must be pending, whichever register the driver accesses
 * first. */
static void touched_edges_latch(struct agpu_test *t)
{
    static const struct {
        uint32_t reg, value;
    } touches[] = {{AEROGPU_MMIO_REG_DOORBELL, 0},
                   {AEROGPU_MMIO_REG_IRQ_ACK, AEROGPU_IRQ_FENCE},
                   {AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK},
                   {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1},
                   {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 640},
                   {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0},
                   {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0},
                   {AEROGPU_MMIO_REG_CURSOR_X, 5},
                   {AEROGPU_MMIO_REG_RING_CONTROL, 0}};
    struct agpu_vblank_edge edge;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    for (unsigned i = 0; i < sizeof touches / sizeof touches[0]; i++) {
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_vblank_stall(t, 10);
        agpu_reg_write(&t->env->function, touches[i].reg, touches[i].value);
        agpu_return_unless(agpu_check_place(t, "IRQ_STATUS an edge later, first touched at", touches[i].reg,
                                            agpu_irq_status(&t->env->function), AEROGPU_IRQ_SCANOUT_VBLANK));
    }
}

/* With INTx Disable set, edges must still set VBLANK in IRQ_STATUS. */
static void intx_disable_latches(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_vblank_edge edge;

    agpu_command_write(function, agpu_command_read(function) | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_irq_enable(function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_start(t, &edge));
    agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK));
    agpu_irq_ack(function, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_return_unless(agpu_vblank_next(t, &edge));
    agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
}

/* An edge from before VBLANK was enabled must not become pending; later edges must. */
static void old_edge_does_not_latch(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_vblank_edge edge;
    bool judged = false;
    unsigned checks;

    agpu_return_unless(agpu_vblank_start(t, &edge));
    checks = t->checks;
    for (unsigned i = 0; i < OLD_EDGE_TRIES && !judged; i++) {
        uint32_t status;

        agpu_irq_enable(function, 0);
        agpu_return_unless(i == 0 || agpu_vblank_next(t, &edge));
        agpu_check_drop(t, checks);
        agpu_vblank_stall(t, 12);
        agpu_irq_enable(function, AEROGPU_IRQ_SCANOUT_VBLANK);
        status = agpu_irq_status(function);
        judged = agpu_vblank_seq(t) <= edge.seq + 1; /* no newer edge has come since */
        if (judged) {
            agpu_check_u64(t, status, 0, "IRQ_STATUS for an edge from before IRQ_ENABLE", true, AGPU_HERE);
        }
    }
    agpu_require(t, judged, AGPU_SKIP_TOO_SLOW);
    agpu_return_unless(agpu_vblank_read(t, &edge));
    agpu_return_unless(agpu_vblank_next(t, &edge));
    agpu_check_irq(t, AEROGPU_IRQ_SCANOUT_VBLANK);
}

#define VBLANK_IRQ_CASE(name, function)                                                                      \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.7", .needs = AGPU_NEED_FUNCTION,                                  \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case function_vblank_irq_cases[] = {
    VBLANK_IRQ_CASE("vblank.irq.latches", irq_latches),
    VBLANK_IRQ_CASE("vblank.irq.masked", irq_masked),
    VBLANK_IRQ_CASE("vblank.irq.old_edge", old_edge_does_not_latch),
    VBLANK_IRQ_CASE("vblank.irq.under_intx_disable", intx_disable_latches),
    VBLANK_IRQ_CASE("vblank.irq.disable_clears", disable_clears_irq),
    VBLANK_IRQ_CASE("vblank.irq.masking_clears", masking_clears_irq),
    VBLANK_IRQ_CASE("vblank.irq.other_masks_keep", other_masks_keep_irq),
    VBLANK_IRQ_CASE("vblank.irq.touched_edges", touched_edges_latch),
};

AGPU_CASE_TABLE(agpu_cases_function_vblank_irq, function_vblank_irq_cases);
