/* irq_taken.c: interrupts that call a handler, by line and by message: each cause, and races between the device, a
 * handler, and a driver that sleeps until it is called (device.md 4.4; ring.md 4). */
#include "pci/config.h"
#include "pci/machine/wait.h"
#include "pci/message.h"
#include "ring/irq.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/rounds.h"
#include "tests/cases/rig/taken.h"
#include "tests/cases/rig/vblank.h"

/* Fences whose only notice is their interrupt: a loss of one in a hundred shows. A machine may take 100 ms for each. */
#define MANY         150u
#define SAMPLES_MAX  1024u
#define BURST        16u
#define BURST_ROUNDS 2u

#define MSIX_ALL_MASKED 0x4000u /* message control of MSI-X: masks all vectors */

static void taken_enable(const struct agpu_test *t, uint32_t mask)
{
    agpu_irq_enable(&t->env->function, mask);
}

static bool post_empty(struct agpu_test *t, uint32_t flags)
{
    const struct agpu_submission submission = {.fence = ++t->env->rig.fence, .flags = flags};

    return agpu_check_ok(t, agpu_ring_wait_room(&t->env->ring)) &&
           agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* Checks that no further call comes for a while. */
static bool check_still(struct agpu_test *t, struct agpu_taken *taken, uint64_t count, const char *when)
{
    agpu_taken_settle(t, taken);
    return agpu_check_u64(t, taken->count, count, when, false, AGPU_HERE);
}

/* Each fence must call the handler once, with FENCE as its cause and the fence page up to date. */
static void taken_fence(struct agpu_test *t, struct agpu_taken *taken)
{
    taken_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 1; i <= 3; i++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_wait_taken(t, taken, i));
        agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_FENCE);
        agpu_check_eq_u64(t, taken->fence, t->env->rig.fence);
        agpu_return_unless(check_still(t, taken, i, "interrupts after one that was acknowledged"));
    }
    agpu_check_irq(t, 0);
}

/* Each refused submission must call the handler once, with ERROR as its cause. */
static void taken_error(struct agpu_test *t, struct agpu_taken *taken)
{
    taken_enable(t, AEROGPU_IRQ_ERROR);
    for (unsigned i = 1; i <= 3; i++) {
        agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
        agpu_return_unless(agpu_wait_taken(t, taken, i));
        agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_ERROR);
        agpu_return_unless(check_still(t, taken, i, "interrupts after an error that was acknowledged"));
    }
}

/* With vblank interrupts enabled, the handler must be called for three edges within two seconds each. */
static void taken_vblank(struct agpu_test *t, struct agpu_taken *taken)
{
    struct agpu_wait wait;

    taken_enable(t, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 1; i <= 3; i++) {
        agpu_wait_begin_ns(&wait, t->env->platform, AGPU_RELAX_VBLANK, 2000000000u);
        while (taken->count < i && agpu_wait_again(&wait)) {
            ;
        }
        agpu_return_unless(
            agpu_check_place(t, "interrupts of vblank edges: at least", i, taken->count >= i, true));
    }
    agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_SCANOUT_VBLANK);
    agpu_scanout_enable(t, 0);
}

/* A masked cause must not call the handler, and a fence that completed under the mask must not call it later. */
static void taken_masked(struct agpu_test *t, struct agpu_taken *taken)
{
    taken_enable(t, 0);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(check_still(t, taken, 0, "interrupts with everything masked"));
    taken_enable(t, AEROGPU_IRQ_FENCE);
    agpu_return_unless(check_still(t, taken, 0, "interrupts when FENCE is enabled after the fence"));
    agpu_return_unless(post_empty(t, AEROGPU_SUBMIT_FLAG_NO_IRQ));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_return_unless(check_still(t, taken, 0, "interrupts of a submission with NO_IRQ"));
    agpu_return_unless(agpu_run_empty(t));
    agpu_wait_taken(t, taken, 1);
}

/* A pending error must call the handler as soon as it is enabled. */
static void taken_pending_error(struct agpu_test *t, struct agpu_taken *taken)
{
    agpu_taken_expect_none(taken);
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
    agpu_return_unless(check_still(t, taken, 0, "interrupts of a masked error"));
    taken_enable(t, AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_wait_taken(t, taken, 1));
    agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_ERROR);
    check_still(t, taken, 1, "interrupts after the pending error was acknowledged");
}

/* With INTx Disable set, a fence must become pending in IRQ_STATUS without calling the handler. */
static void taken_intx_disable(struct agpu_test *t, struct agpu_taken *taken)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t command = agpu_command_read(function);

    taken_enable(t, AEROGPU_IRQ_FENCE);
    agpu_command_write(function, command | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_taken_expect_none(taken);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    check_still(t, taken, 0, "interrupts with INTx disabled");
    agpu_command_write(function, command);
    agpu_wait_taken(t, taken, 1);
    check_still(t, taken, 1, "interrupts after INTx was enabled with one pending");
}

/* Given two causes and a handler that acknowledges one, the level must call the handler again for the other. */
static void taken_half_acknowledged(struct agpu_test *t, struct agpu_taken *taken)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t command = agpu_command_read(function);

    taken->one_at_a_time = true;
    agpu_command_write(function, command | AGPU_PCI_COMMAND_INTX_OFF);
    agpu_taken_expect_none(taken);
    taken_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NONE));
    agpu_taken_settle(t, taken);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_command_write(function, command);
    agpu_return_unless(agpu_wait_taken(t, taken, 2));
    agpu_check_irq(t, 0);
    agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    check_still(t, taken, 2, "interrupts after both causes were acknowledged");
}

/* ---- by message ---- */

/* With MSI or MSI-X enabled, the line must stay inactive: a handler of another driver that shares the line would be
 * called without end. */
static void taken_no_line(struct agpu_test *t, struct agpu_taken *taken)
{
    const struct agpu_platform *platform = t->env->platform;

    taken_enable(t, AEROGPU_IRQ_FENCE);
    taken->leave_pending = true;
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(agpu_wait_taken(t, taken, 1));
    agpu_settle(t);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    agpu_check_u64(t, platform->intx_level(platform->ctx, &t->env->function.found.ref) == 1, false,
                   "the line is up while interrupts go by message", false, AGPU_HERE);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
}

/* A cause that comes while another one is pending must send a message, at the latest when the other is acknowledged. */
static void taken_second_cause(struct agpu_test *t, struct agpu_taken *taken)
{
    taken->leave_pending = true;
    taken_enable(t, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(agpu_wait_taken(t, taken, 1));
    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_wait_taken(t, taken, 2);
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
}

/* A cause that comes while Bus Master is off must send its message when Bus Master is on again, and not before. */
static void taken_bus_master(struct agpu_test *t, struct agpu_taken *taken)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t command = agpu_command_read(function);

    agpu_return_unless(agpu_run_refused(t, ++t->env->rig.fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
    agpu_command_write(function, (uint16_t)(command & ~AGPU_PCI_COMMAND_MASTER));
    taken_enable(t, AEROGPU_IRQ_ERROR);
    check_still(t, taken, 0, "messages without Bus Master");
    agpu_command_write(function, command);
    agpu_wait_taken(t, taken, 1);
    check_still(t, taken, 1, "messages after Bus Master was enabled with one due");
}

/* Masks or unmasks the vector, or all vectors of the function. */
static void mask_messages(const struct agpu_function *function, const struct agpu_message *message, bool all,
                          bool masked)
{
    const uint32_t at = message->capability + 2;
    const uint32_t control = agpu_config_read(function, at, 2) & ~MSIX_ALL_MASKED;

    if (all) {
        agpu_config_write(function, at, 2, control | (masked ? MSIX_ALL_MASKED : 0));
    } else {
        agpu_message_mask(function, message, masked);
    }
}

/* While messages are masked none may come; unmasking must send one, or none if the fences were acknowledged under the
 * mask. */
static void check_mask(struct agpu_test *t, struct agpu_taken *taken, bool all)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_message message;
    bool pending = true;

    agpu_assert(t, agpu_message_find(function, true, &message));
    taken_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned i = 1; i <= 3; i++) {
        mask_messages(function, &message, all, true);
        agpu_return_unless(agpu_run_empty(t) && agpu_run_empty(t));
        agpu_check_irq(t, AEROGPU_IRQ_FENCE);
        agpu_return_unless(check_still(t, taken, i - 1, "messages while they are masked"));
        pending = pending && agpu_message_is_pending(function, &message);
        mask_messages(function, &message, all, false);
        agpu_return_unless(agpu_wait_taken(t, taken, i));
        agpu_check_place(t, "pending bit after the message, round", i,
                         agpu_message_is_pending(function, &message), false);
        agpu_return_unless(check_still(t, taken, i, "messages after the one that was pending"));
    }
    /* A virtual machine monitor that holds the message back itself may not set the bit. */
    agpu_choice(t, "msix_pending_bit", pending ? "shows held-back messages" : "stays 0");
    mask_messages(function, &message, all, true);
    agpu_return_unless(agpu_run_empty(t));
    agpu_irq_ack(function, AEROGPU_IRQ_FENCE);
    mask_messages(function, &message, all, false);
    agpu_return_unless(
        check_still(t, taken, 3, "messages with a cause that was acknowledged under the mask"));
    agpu_return_unless(agpu_run_empty(t));
    agpu_wait_taken(t, taken, 4);
}

/* A masked vector must hold its message back until it is unmasked, and lose it with its cause. */
static void taken_vector_masked(struct agpu_test *t, struct agpu_taken *taken)
{
    check_mask(t, taken, false);
}

/* The mask of the whole function must do the same for a vector that is not masked itself. */
static void taken_function_masked(struct agpu_test *t, struct agpu_taken *taken)
{
    check_mask(t, taken, true);
}

/* ---- a driver that sleeps until its interrupt ---- */

struct taken_samples {
    uint32_t ns[SAMPLES_MAX];
    unsigned count;
};

static void add_sample(struct taken_samples *samples, uint64_t ns)
{
    unsigned at = samples->count;

    if (at == SAMPLES_MAX) {
        return;
    }
    for (; at != 0 && samples->ns[at - 1] > ns; at--) {
        samples->ns[at] = samples->ns[at - 1];
    }
    samples->ns[at] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
    samples->count++;
}

static void send_samples(struct agpu_test *t, const struct taken_samples *samples, const char *p50,
                         const char *p99)
{
    if (samples->count != 0) {
        agpu_metric(t, p50, samples->ns[samples->count / 2], "ns");
        agpu_metric(t, p99, samples->ns[samples->count * 99 / 100], "ns");
    }
}

/* Given a driver that waits for interrupts only, none may be lost in many fences, and the fence page must be up to date
 * when the handler reads it. */
static void taken_only(struct agpu_test *t, struct agpu_taken *taken)
{
    static struct taken_samples to_handler, to_wake;
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_rounds rounds;
    uint64_t start;

    to_handler.count = to_wake.count = 0;
    taken_enable(t, AEROGPU_IRQ_FENCE);
    for (agpu_rounds_begin(&rounds, t, MANY); agpu_rounds_next(&rounds);) {
        agpu_return_unless(post_empty(t, AEROGPU_SUBMIT_FLAG_NONE));
        start = platform->now_ns(platform->ctx);
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(agpu_wait_taken(t, taken, rounds.number));
        add_sample(&to_wake, platform->now_ns(platform->ctx) - taken->at_ns);
        add_sample(&to_handler, taken->at_ns - start);
        agpu_return_unless(agpu_check_place(t, "fence in the page when its interrupt came", rounds.number,
                                            (uint32_t)taken->fence, (uint32_t)t->env->rig.fence));
    }
    agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_FENCE);
    send_samples(t, &to_handler, "doorbell_to_handler_ns_p50", "doorbell_to_handler_ns_p99");
    send_samples(t, &to_wake, "handler_to_wake_ns_p50", "handler_to_wake_ns_p99");
    agpu_metric(t, "fences_by_interrupt", rounds.number, "1");
}

/* Checks that the handler has read the last fence: it reads the fence page in each call, and no call comes after the
 * last. */
static bool check_last_seen(struct agpu_test *t, const struct agpu_taken *taken, unsigned round)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    while (taken->fence != t->env->rig.fence && agpu_wait_again(&wait)) {
        ;
    }
    return agpu_check_place(t, "last fence that the handler saw, round", round, (uint32_t)taken->fence,
                            (uint32_t)t->env->rig.fence);
}

/* Given a burst of fences, the device may coalesce their interrupts, but must not call more often than there are
 * fences, and the handler must see the last fence. */
static void taken_burst(struct agpu_test *t, struct agpu_taken *taken)
{
    taken_enable(t, AEROGPU_IRQ_FENCE);
    for (unsigned round = 1; round <= BURST_ROUNDS; round++) {
        const uint64_t before = taken->count;

        for (unsigned i = 0; i < BURST; i++) {
            agpu_return_unless(post_empty(t, AEROGPU_SUBMIT_FLAG_NONE));
            if (round % 2) {
                agpu_doorbell(&t->env->ring);
            }
        }
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(check_last_seen(t, taken, round));
        agpu_settle(t);
        agpu_check(t, taken->count - before <= BURST);
    }
}

/* Given FENCE masked and unmasked while work is in flight, fences that complete under the mask may be missed, but a
 * later one must call the handler. */
static void taken_mid_flight(struct agpu_test *t, struct agpu_taken *taken)
{
    for (unsigned round = 1; round <= BURST_ROUNDS; round++) {
        for (unsigned i = 0; i < BURST; i++) {
            agpu_return_unless(post_empty(t, AEROGPU_SUBMIT_FLAG_NONE));
            agpu_doorbell(&t->env->ring);
            taken_enable(t, i % 3 == round % 3 ? AEROGPU_IRQ_FENCE : 0);
        }
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        taken_enable(t, AEROGPU_IRQ_FENCE);
        agpu_return_unless(post_empty(t, AEROGPU_SUBMIT_FLAG_NONE));
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(check_last_seen(t, taken, round));
        taken_enable(t, 0);
    }
    agpu_check_eq_hex(t, taken->causes, AEROGPU_IRQ_FENCE);
}

#define TAKEN_CASE(name, wanted_way, function, feature)                                                      \
    {                                                                                                        \
        .id = (name), .spec = "device.md 4.4", .needs = AGPU_NEED_RING, .features = (feature),               \
        .run = agpu_run_taken_case, .arg = &(const struct agpu_taken_case){(wanted_way), (function)},        \
    }

/* Only a level repeats the call for a cause that was not acknowledged, and only the line obeys INTx Disable. */
#define TAKEN_CASES(word, way)                                                                               \
    TAKEN_CASE("irq.taken_" word ".fence", way, taken_fence, 0),                                             \
        TAKEN_CASE("irq.taken_" word ".error", way, taken_error, AEROGPU_FEATURE_ERROR_INFO),                \
        TAKEN_CASE("irq.taken_" word ".vblank", way, taken_vblank,                                           \
                   AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT),                                        \
        TAKEN_CASE("irq.taken_" word ".masked", way, taken_masked, 0),                                       \
        TAKEN_CASE("irq.taken_" word ".pending_error", way, taken_pending_error,                             \
                   AEROGPU_FEATURE_ERROR_INFO),                                                              \
        TAKEN_CASE("irq.taken_" word ".only", way, taken_only, 0),                                           \
        TAKEN_CASE("irq.taken_" word ".burst", way, taken_burst, 0),                                         \
        TAKEN_CASE("irq.taken_" word ".mid_flight", way, taken_mid_flight, 0)

#define MESSAGE_CASES(word, way)                                                                             \
    TAKEN_CASES(word, way), TAKEN_CASE("irq.taken_" word ".no_line", way, taken_no_line, 0),                 \
        TAKEN_CASE("irq.taken_" word ".second_cause", way, taken_second_cause, AEROGPU_FEATURE_ERROR_INFO),  \
        TAKEN_CASE("irq.taken_" word ".bus_master", way, taken_bus_master, AEROGPU_FEATURE_ERROR_INFO)

static const struct agpu_case function_irq_taken_cases[] = {
    TAKEN_CASES("line", AGPU_IRQ_LINE),
    TAKEN_CASE("irq.taken_line.intx_disable", AGPU_IRQ_LINE, taken_intx_disable, 0),
    TAKEN_CASE("irq.taken_line.half_acknowledged", AGPU_IRQ_LINE, taken_half_acknowledged,
               AEROGPU_FEATURE_ERROR_INFO),
    MESSAGE_CASES("msi", AGPU_IRQ_MSI),
    MESSAGE_CASES("msix", AGPU_IRQ_MSIX),
    TAKEN_CASE("irq.taken_msix.vector_masked", AGPU_IRQ_MSIX, taken_vector_masked, 0),
    TAKEN_CASE("irq.taken_msix.function_masked", AGPU_IRQ_MSIX, taken_function_masked, 0),
};

AGPU_CASE_TABLE(agpu_cases_function_irq_taken, function_irq_taken_cases);
