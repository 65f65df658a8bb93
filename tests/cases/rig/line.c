/* line.c: waits for a level of the INTx line. */
#include "tests/cases/rig/line.h"

#include "pci/machine/wait.h"
#include "ring/irq.h"
#include "tests/cases/rig/env.h"

#define LINE_NS      1000000000u
#define LINE_LOST_NS 20000000u

void agpu_line_touch_status(const void *function)
{
    agpu_irq_status(function);
}

int agpu_line_level(const struct agpu_test *t)
{
    return t->env->platform->intx_level(t->env->platform->ctx, &t->env->function.found.ref);
}

uint64_t agpu_line_bound_ns(const struct agpu_test *t)
{
    return t->failed_checks + t->excused_checks == 0 ? LINE_NS : LINE_LOST_NS;
}

/* An access may clear the level while its signal is in transit (QEMU asks the device again), so each round polls
 * first and accesses the device last. */
int agpu_line_wait(const struct agpu_test *t, bool asserted, void (*touch)(const void *ctx), const void *ctx)
{
    struct agpu_wait wait;
    int level;

    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_IDLE, agpu_line_bound_ns(t));
    for (;;) {
        level = agpu_line_level(t);
        if (level < 0 || (level > 0) == asserted) {
            return level;
        }
        touch(ctx);
        if (!agpu_wait_again(&wait)) {
            return level;
        }
    }
}
