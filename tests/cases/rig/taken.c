/* taken.c: the handler does the same as the kernel driver's: reads the causes, acknowledges exactly those, and then
 * reads the completed fence. In the opposite order it would miss a fence that completes in between. */
#include "tests/cases/rig/taken.h"

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/rig/line.h"

/* Maximum calls before the case runs again: more than any case here has fences in flight. */
#define STREAK_MOST 1000u
/* After this many rounds a cause that keeps coming back is left pending. */
#define ACKNOWLEDGE_ROUNDS 8u

static struct agpu_taken taken;

static uint64_t taken_fence_seen(const struct agpu_env *env)
{
    return env->ring.page.cpu != NULL
               ? __atomic_load_n(&((const struct aerogpu_fence_page *)env->ring.page.cpu)->completed_fence,
                                 __ATOMIC_ACQUIRE)
               : agpu_reg_read64(&env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

/* With messages, a cause that is set while another is pending may send no further message (device.md 4.4), so the
 * causes are read until there is none. */
static uint32_t acknowledge_all(const struct agpu_env *env, uint32_t status)
{
    uint32_t seen = 0;

    for (unsigned i = 0; i < ACKNOWLEDGE_ROUNDS && status != 0 && status != UINT32_MAX; i++) {
        agpu_irq_ack(&env->function, status);
        seen |= status;
        status = agpu_irq_status(&env->function);
    }
    return seen;
}

static bool handle_taken(void *ctx)
{
    const struct agpu_env *env = ctx;
    const uint64_t now = env->platform->now_ns(env->platform->ctx);
    uint32_t status = agpu_irq_status(&env->function);

    if (status == 0 || status == UINT32_MAX || taken.late_allowed) {
        taken.late_came |= taken.late_allowed && status != 0;
        taken.late_allowed = false;
        return false;
    }
    if (taken.leave_pending) {
        ;
    } else if (taken.one_at_a_time) {
        agpu_irq_ack(&env->function, status & (0 - status));
    } else {
        status = acknowledge_all(env, status);
    }
    taken.fence = taken_fence_seen(env);
    if (++taken.streak > STREAK_MOST) { /* otherwise it would never end */
        agpu_irq_enable(&env->function, 0);
        taken.storm = true;
    }
    taken.late_came = false;
    taken.causes |= status;
    taken.at_ns = now;
    taken.count++;
    return true;
}

static void quiet_taken(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, 0);
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    agpu_settle(t);
    taken = (struct agpu_taken){.by_line = taken.by_line};
}

void agpu_taken_expect_none(struct agpu_taken *seen)
{
    seen->late_came = false;
    seen->late_allowed = seen->by_line;
}

void agpu_taken_settle(struct agpu_test *t, struct agpu_taken *seen)
{
    struct agpu_wait wait;

    agpu_settle(t);
    agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_IDLE, agpu_line_bound_ns(t));
    while (seen->late_came && agpu_wait_again(&wait)) {
        ;
    }
    seen->late_came = false;
    seen->late_allowed = false;
}

static bool comes_in_time(struct agpu_test *t, uint64_t count)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        taken.streak = 0;
    } while (taken.count < count && !taken.storm && agpu_wait_again(&wait));
    return taken.count >= count;
}

/* Waits for the level of the line if the machine can read it: a line that the function does not drive is the device's
 * fault, not the machine's. Returns true if the level is right or cannot be read. */
static bool check_level(struct agpu_test *t, bool asserted, const char *what)
{
    const int level = agpu_line_wait(t, asserted, agpu_line_touch_status, &t->env->function);

    return level < 0 || agpu_check_u64(t, level > 0, asserted, what, false, AGPU_HERE);
}

/* Checks with one fence that an interrupt of the function reaches the handler. A missing message is the device's
 * fault. A line may be routed differently from the machine's tables, or asserted by another device. The fence also
 * flushes interrupts in transit: messages arrive in order, and the machine then knows the function's line from all
 * others. */
static bool gets_through(struct agpu_test *t)
{
    const bool by_line = taken.by_line;
    bool arrived, raised;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    if (!agpu_run_empty(t)) {
        return false;
    }
    arrived = comes_in_time(t, 1);
    raised =
        arrived || !by_line || check_level(t, true, "level of the line while a fence's interrupt is pending");
    quiet_taken(t);
    if (!raised) {
        return false;
    }
    if (!arrived && by_line) {
        agpu_skip_because(t, AGPU_SKIP_INTERRUPTS,
                          "requires a machine that takes interrupts by line: no free I/O APIC input delivers "
                          "the function's interrupt");
        return false;
    }
    return agpu_check_u64(t, arrived, 1, "messages that came after a fence with its interrupt enabled", false,
                          AGPU_HERE);
}

static bool open_taken(struct agpu_test *t, enum agpu_irq_way way)
{
    const struct agpu_platform *platform = t->env->platform;
    char buffer[200];
    struct agpu_text why;
    enum agpu_status status;

    if (platform->irq_open == NULL) {
        agpu_skip(t, AGPU_SKIP_INTERRUPTS);
        return false;
    }
    taken = (struct agpu_taken){.by_line = way == AGPU_IRQ_LINE};
    agpu_text_begin(&why, buffer, sizeof buffer);
    status = platform->irq_open(platform->ctx, &t->env->function.found.ref, way, handle_taken, t->env, &why);
    if (status == AGPU_OK) {
        return true;
    }
    if (why.length != 0) {
        agpu_skip_because(t, AGPU_SKIP_INTERRUPTS, buffer);
    } else {
        agpu_setup(t, status, "taking interrupts", AGPU_HERE);
    }
    return false;
}

void agpu_run_taken_case(struct agpu_test *t)
{
    const struct agpu_taken_case *wanted = t->test_case->arg;
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_irq_counts counts;

    if (!open_taken(t, wanted->way)) {
        return;
    }
    if (gets_through(t)) {
        wanted->body(t, &taken);
        agpu_check_u64(t, taken.storm, false, "interrupts without end although each is acknowledged", false,
                       AGPU_HERE);
    }
    quiet_taken(t);
    platform->irq_close(platform->ctx, &t->env->function.found.ref, &counts);
    if (counts.silenced && check_level(t, false, "level of the line while no interrupt is enabled")) {
        agpu_skip_because(t, AGPU_SKIP_INTERRUPTS,
                          "requires a machine that takes interrupts by a line which no other device holds");
    }
    agpu_metric(t, "interrupts_taken", counts.taken, "1");
    agpu_metric(t, "interrupts_spurious", counts.spurious, "1");
}

bool agpu_wait_taken_at(struct agpu_test *t, const struct agpu_taken *seen, uint64_t count,
                        struct agpu_where where)
{
    if (comes_in_time(t, count)) {
        return true;
    }
    return agpu_check_u64(t, seen->count, count, "interrupts taken", false, where);
}
