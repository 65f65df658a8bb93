/* order_rounds.c: rounds of observed work (order_rounds.h). */
#include "tests/cases/rig/order_rounds.h"

#include "pci/machine/text.h"
#include "pci/machine/wait.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/rounds.h"

#define LINE_NS 1000000u

static const char *const source_names[] = {"in the fence page", "in COMPLETED_FENCE", "by its interrupt"};

uint32_t *agpu_order_words(struct agpu_test *t, unsigned memory)
{
    return t->env->rig.memory[memory].cpu;
}

uint32_t agpu_order_round_count(const struct agpu_test *t)
{
    return agpu_watch_sees_steps(t) ? AGPU_ORDER_STEP_ROUNDS : AGPU_ORDER_RACE_ROUNDS;
}

static uint32_t order_word(uint32_t round, uint32_t line)
{
    return (round + 1) << 16 | line;
}

void agpu_order_fill(struct agpu_order *order)
{
    uint32_t *words = agpu_order_words(order->t, 0);

    order->lines = agpu_watch_sees_steps(order->t) && order->round >= AGPU_ORDER_LARGE_STEPS
                       ? AGPU_ORDER_FEW
                       : AGPU_ORDER_LINES;
    for (uint32_t line = 0; line < order->lines; line++) {
        words[line * AGPU_ORDER_LINE / 4] = order_word(order->round, line);
        words[line * AGPU_ORDER_LINE / 4 + AGPU_ORDER_LINE / 4 - 1] = ~order_word(order->round, line);
    }
}

static bool order_line(struct agpu_order *order, const char *what, uint32_t line, uint32_t actual,
                       uint32_t expected)
{
    char buffer[160];

    if (actual == expected) {
        return true;
    }
    agpu_format_line(buffer, sizeof buffer, "%s, line %u, when its fence is seen %s (round << 16 | line)",
                     what, line, source_names[order->source]);
    order->wrong = true;
    return agpu_check_u64_noted(
        order->t, actual, expected, buffer, true,
        actual >> 16 < expected >> 16 && (actual & 0xFFFF) == (expected & 0xFFFF)
            ? "this is the data of an earlier round: it was not moved, or the fence was there before it"
            : "this is not the data of any round",
        AGPU_HERE);
}

/* Checks that lines [from, to) of the destination are from this round, starting at the end, which is most likely to
 * be late. */
void agpu_order_judge_lines(struct agpu_order *order, uint32_t from, uint32_t to)
{
    const volatile uint32_t *words = agpu_order_words(order->t, 1);

    for (uint32_t line = to; line-- > from;) {
        if (!order_line(order, "end of written-back data", line,
                        ~words[line * AGPU_ORDER_LINE / 4 + AGPU_ORDER_LINE / 4 - 1],
                        order_word(order->round, line)) ||
            !order_line(order, "written-back data", line, words[line * AGPU_ORDER_LINE / 4],
                        order_word(order->round, line))) {
            return;
        }
    }
}

void agpu_order_check(struct agpu_order *order, uint64_t actual, uint64_t least, const char *what)
{
    if (actual < least) {
        order->wrong = true;
        agpu_check_u64(order->t, actual, least, what, true, AGPU_HERE);
    }
}

bool agpu_order_line(const struct agpu_order *order)
{
    const struct agpu_env *env = order->t->env;

    return order->line_was_low && env->platform->intx_level(env->platform->ctx, &env->function.found.ref) > 0;
}

/* Waits, with a limit, until the line follows the acknowledge: a level from the previous round does not count.
 * Machines that do not show steps may deliver a stale level at any time. */
static bool wait_line_low(const struct agpu_order *order)
{
    const struct agpu_env *env = order->t->env;
    struct agpu_wait wait;

    if (!agpu_watch_sees_steps(order->t)) {
        return false;
    }
    agpu_wait_begin_ns(&wait, env->platform, AGPU_RELAX_IDLE, LINE_NS);
    do {
        if (env->platform->intx_level(env->platform->ctx, &env->function.found.ref) == 0) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    return false;
}

/* Returns the round's fence once IRQ_STATUS has the FENCE interrupt. Reads the line first: IRQ_STATUS must be set
 * before the line is asserted, and the fence must be visible before either. */
static uint64_t order_interrupt(struct agpu_order *order)
{
    const struct agpu_env *env = order->t->env;
    const bool line = agpu_order_line(order);

    if ((agpu_irq_status(&env->function) & AEROGPU_IRQ_FENCE) == 0) {
        agpu_order_check(order, 0, line, "FENCE in IRQ_STATUS when the line is seen");
        return 0;
    }
    if (env->ring.page.cpu != NULL) {
        agpu_order_check(order, agpu_fence_page_value(&env->ring), order->first,
                         "fence page when the FENCE interrupt is seen");
    }
    agpu_order_check(order, agpu_fence_mmio_value(&env->function), order->first,
                     "COMPLETED_FENCE when the FENCE interrupt is seen");
    return order->first;
}

uint64_t agpu_order_completed(struct agpu_order *order, bool registers)
{
    if (!registers && order->source != AGPU_SEEN_IN_PAGE) {
        return 0;
    }
    switch (order->source) {
    case AGPU_SEEN_IN_PAGE:
        return agpu_fence_page_value(&order->t->env->ring);
    case AGPU_SEEN_IN_REGISTER:
        return agpu_fence_mmio_value(&order->t->env->function);
    default:
        return order_interrupt(order);
    }
}

bool agpu_order_poll(void *ctx, bool registers)
{
    struct agpu_order *order = ctx;
    const uint64_t completed = agpu_order_completed(order, registers);

    if (completed >= order->first + order->count) {
        order->wrong = true;
        agpu_check_u64(order->t, completed, order->first + order->count - 1,
                       "completed fence is one that was submitted", true, AGPU_HERE);
    }
    if (completed != 0 && completed < order->highest && !order->wrong) {
        order->wrong = true;
        agpu_check_u64_noted(order->t, completed, order->highest, "completed fence does not go back", true,
                             "fences complete out of order", AGPU_HERE);
    }
    order->highest = completed > order->highest ? completed : order->highest;
    while (!order->wrong && order->judged < order->count && completed >= order->first + order->judged) {
        order->judge(order, order->judged++);
    }
    return order->wrong || order->judged == order->count;
}

/* Creates source and destination in the first stream; adds their memory to every table. */
void agpu_order_put_resources(struct agpu_order *order, bool texture)
{
    struct agpu_rig *rig = &order->t->env->rig;

    for (unsigned i = 0; i < 2; i++) {
        agpu_rig_alloc(rig, AGPU_ORDER_SOURCE + i, &rig->memory[i], AEROGPU_ALLOC_FLAG_NONE);
        if (order->created) {
            continue;
        }
        if (texture) {
            agpu_put_create_texture(rig, AGPU_ORDER_SOURCE + i, AEROGPU_FORMAT_R8G8B8A8_UNORM,
                                    AGPU_ORDER_PITCH / 4, AGPU_ORDER_BYTES / AGPU_ORDER_PITCH,
                                    AGPU_ORDER_PITCH, AGPU_ORDER_SOURCE + i);
        } else {
            agpu_put_create_buffer(rig, AGPU_ORDER_SOURCE + i, AGPU_ORDER_BYTES, AGPU_ORDER_SOURCE + i, 0);
        }
    }
    order->created = true;
}

bool agpu_order_post(struct agpu_order *order)
{
    struct agpu_test *t = order->t;
    struct agpu_submission submission;
    bool ok = agpu_check(t, agpu_rig_finish(&t->env->rig, &submission)) &&
              agpu_check_ok(t, agpu_ring_wait_room(&t->env->ring)) &&
              agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));

    agpu_rig_begin(&t->env->rig);
    return ok;
}

bool agpu_order_round(struct agpu_order *order, const struct agpu_order_kind *kind)
{
    struct agpu_test *t = order->t;

    agpu_rig_begin_over(&t->env->rig);
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    order->first = t->env->rig.fence + 1;
    order->judged = 0;
    order->highest = 0;
    order->slots = 0;
    order->errors = agpu_errors_so_far(t->env);
    order->line_was_low = wait_line_low(order);
    return kind->post(order) && agpu_watch(t, kind->poll_device, order) && !order->wrong;
}

/* Runs every round of a kind; false if one failed, which is recorded. */
bool agpu_order_rounds(struct agpu_order *order, const struct agpu_order_kind *kind)
{
    struct agpu_test *t = order->t;
    struct agpu_rounds loop;

    order->source = kind->source;
    order->count = kind->count;
    order->judge = kind->judge;
    agpu_irq_enable(&t->env->function, kind->irqs != 0 ? kind->irqs : AEROGPU_IRQ_FENCE);
    for (agpu_rounds_begin(&loop, t, agpu_order_round_count(t)); agpu_rounds_next(&loop) && agpu_time_left(t);
         order->round++) {
        agpu_order_fill(order);
        if (!agpu_order_round(order, kind)) {
            return false;
        }
    }
    agpu_rounds_report(&loop, t);
    return true;
}
