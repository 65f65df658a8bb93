/* fence.c: the order and the latency in which fences complete (ring.md 4, 6). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/rounds.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/proof.h"

#define LATENCY_SAMPLES 40u
#define LATENCY_WARMUP  10u

static bool post_fence(struct agpu_test *t, uint64_t fence)
{
    struct agpu_submission submission = {.fence = fence};

    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

static bool run_fence(struct agpu_test *t, uint64_t fence)
{
    struct agpu_submission submission = {.fence = fence};

    return agpu_submit_wait(t, &submission);
}

/* Waits until the device has consumed everything; for submissions that signal nothing. */
static bool fence_drain(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    while (agpu_ring_head(ring) != ring->tail && agpu_wait_again(&wait)) {
        ;
    }
    agpu_settle(t); /* consumption is not completion (ring.md 2) */
    return agpu_check_eq_u64(t, agpu_ring_head(ring), ring->tail);
}

/* Checks both the register and, if there is one, the page. */
static bool check_both(struct agpu_test *t, uint64_t fence)
{
    return agpu_check_completed(t, fence) && agpu_check_page(t, fence);
}

static bool fence_steps(struct agpu_test *t, uint64_t first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!run_fence(t, first + i) || !check_both(t, first + i)) {
            return false;
        }
    }
    return true;
}

/* Given 300 empty submissions with rising fences, each must appear in fence page and register. */
static void fence_advances(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    for (agpu_rounds_begin(&rounds, t, 300); agpu_rounds_next(&rounds);) {
        agpu_return_unless(fence_steps(t, rounds.number, 1));
    }
}

/* Given fences with gaps, past 2^31 and 2^32, each must appear in fence page and register. */
static void fence_gaps(struct agpu_test *t)
{
    static const uint64_t fences[] = {1,          5,          6,           1000,       0x7FFFFFFF,
                                      0x80000000, 0xFFFFFFFF, 0x100000000, 0x100000001};

    for (unsigned i = 0; i < sizeof fences / sizeof fences[0]; i++) {
        agpu_return_unless(run_fence(t, fences[i]));
        agpu_return_unless(check_both(t, fences[i]));
    }
}

/* A 64-bit fence up to 2^64 - 1 must appear whole in the fence page and in both halves of the register. */
static void fence_wide(struct agpu_test *t)
{
    agpu_return_unless(run_fence(t, UINT64_C(0x123456789ABCDEF0)));
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 0x9ABCDEF0);
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI), 0x12345678);
    check_both(t, UINT64_C(0x123456789ABCDEF0));
    agpu_return_unless(run_fence(t, UINT64_MAX - 1));
    check_both(t, UINT64_MAX - 1);
    agpu_return_unless(run_fence(t, UINT64_MAX));
    check_both(t, UINT64_MAX);
}

/* COMPLETED_FENCE must pass every boundary at which a counter may be cut, step by step. */
static void fence_boundaries(struct agpu_test *t)
{
    static const unsigned bits[] = {8, 12, 16, 24, 31, 32, 33, 40, 48, 52, 56, 63};

    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        agpu_return_unless(fence_steps(t, (UINT64_C(1) << bits[i]) - 3, 6));
    }
}

/* After one doorbell for fences 10 to 14, page and register must end at 14. */
static void batch_ends_at_last(struct agpu_test *t)
{
    for (uint64_t fence = 10; fence <= 14; fence++) {
        agpu_return_unless(post_fence(t, fence));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 14));
    check_both(t, 14);
}

/* Posts a submission with its own work, under any fence. */
static bool post_work(struct agpu_test *t, uint32_t slot, uint64_t fence)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint64_t last = rig->fence;
    struct agpu_submission submission;

    agpu_rig_begin(rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, slot, 0x1000 + slot);
    if (!agpu_check(t, agpu_rig_finish(rig, &submission))) {
        return false;
    }
    rig->fence = last;
    submission.fence = fence;
    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

static bool check_work(struct agpu_test *t, uint32_t count)
{
    for (uint32_t slot = 0; slot < count; slot++) {
        if (!agpu_check_proof(t, slot, 0x1000 + slot)) {
            return false;
        }
    }
    return agpu_check_no_errors_counted(t);
}

/* A submission with fence 0 must execute its commands, but change neither COMPLETED_FENCE nor IRQ_STATUS. */
static void zero_signals_nothing(struct agpu_test *t)
{
    agpu_return_unless(agpu_proof_begin(t));
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(post_work(t, 0, 0));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(fence_drain(t));
    check_both(t, 1); /* that of agpu_proof_begin() */
    agpu_check_irq(t, 0);
    agpu_return_unless(run_fence(t, 1000));
    check_work(t, 1); /* executed all the same */
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
}

/* Runs a fence that is not above the completed one: it signals nothing, but its commands are executed. */
static void not_above(struct agpu_test *t, uint64_t completed, uint64_t fence)
{
    agpu_irq_enable(&t->env->function, 0);
    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(run_fence(t, completed));
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(post_work(t, 0, fence));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(fence_drain(t));
    check_both(t, completed);
    agpu_check_irq(t, 0);
    agpu_return_unless(run_fence(t, completed + 1));
    check_both(t, completed + 1);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
    check_work(t, 1);
}

/* A fence equal to the completed one must signal nothing, but its commands must run. */
static void fence_duplicate(struct agpu_test *t)
{
    not_above(t, 10, 10);
}

/* A fence below the completed one must signal nothing, but its commands must run. */
static void fence_stale(struct agpu_test *t)
{
    not_above(t, 10, 3);
}

/* A fence that is lower by its high half and higher by its low half must signal nothing; the same with the top bit. */
static void stale_by_high_half(struct agpu_test *t)
{
    not_above(t, UINT64_C(0x200000001), UINT64_C(0x1FFFFFFFF));
    agpu_assert_ok(t, t->env->transport.reset(t->env->transport.ctx));
    not_above(t, UINT64_C(0x8000000000000001), UINT64_C(0x7FFFFFFFFFFFFFFF));
}

/* Given equal fences in one batch, all commands must run and the fence must complete; the case records whether the
 * device merges them. */
static void merged_in_batch(struct agpu_test *t)
{
    const struct agpu_submission quiet = {.fence = 9, .flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};
    const struct agpu_submission loud = {.fence = 9};

    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(post_work(t, 0, 7));
    agpu_return_unless(post_work(t, 1, 7));
    agpu_return_unless(post_work(t, 2, 8));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 8));
    agpu_return_unless(fence_drain(t));
    check_both(t, 8);
    check_work(t, 3);
    /* In one batch, if the device does that, or one by one: then the second of two equal fences raises no interrupt
     * (ring.md 4). */
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &quiet));
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &loud));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 9));
    agpu_return_unless(fence_drain(t));
    agpu_settle(t);
    agpu_choice(t, "equal_fences_of_a_doorbell",
                (agpu_irq_status(&t->env->function) & AEROGPU_IRQ_FENCE) != 0 ? "merged" : "one by one");
}

/* Given fence 9 and then 5 in one batch, COMPLETED_FENCE must end at 9, and the commands of both must run. */
static void covered_by_later(struct agpu_test *t)
{
    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(post_work(t, 0, 9));
    agpu_return_unless(post_work(t, 1, 5));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 9));
    agpu_return_unless(fence_drain(t));
    check_both(t, 9);
    check_work(t, 2);
}

/* When a fence is visible, in the page or in the register, the result of its work must be readable: several hundred
 * rounds. */
static void work_before_fence(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    agpu_return_unless(agpu_proof_begin(t));
    for (agpu_rounds_begin(&rounds, t, 300); agpu_rounds_next(&rounds);) {
        const uint32_t slot = (rounds.number - 1) % AGPU_PROOF_SLOTS;

        if (slot == 0) {
            agpu_proof_clear(t);
        }
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(post_work(t, slot, ++t->env->rig.fence));
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        agpu_return_unless(agpu_check_proof(t, slot, 0x1000 + slot));
    }
}

/* The ring's transport must report the completed fence, free space, and 0 after a reset. */
static void transport_reports(struct agpu_test *t)
{
    const struct agpu_transport *transport = &t->env->transport;
    struct agpu_submission submission = {.fence = 3};
    uint64_t value = 99;

    agpu_check_ok(t, transport->completed_fence(transport->ctx, &value));
    agpu_check_eq_u64(t, value, 0);
    agpu_check(t, transport->has_room(transport->ctx));
    agpu_assert_ok(t, transport->submit(transport->ctx, &submission));
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 3));
    agpu_check_ok(t, transport->completed_fence(transport->ctx, &value));
    agpu_check_eq_u64(t, value, 3);
    agpu_check_ok(t, transport->reset(transport->ctx));
    agpu_check_ok(t, transport->completed_fence(transport->ctx, &value));
    agpu_check_eq_u64(t, value, 0);
    agpu_assert_ok(t, transport->submit(transport->ctx, &submission));
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, 3));
}

/* Insertion keeps the samples sorted; cheap for a few hundred. */
static void insert_sorted(uint64_t *samples, unsigned count, uint64_t sample)
{
    unsigned i = count;

    for (; i > 0 && samples[i - 1] > sample; i--) {
        samples[i] = samples[i - 1];
    }
    samples[i] = sample;
}

/* Polls per round, before the machine is let idle: idling services the network and may cost more than the answer takes.
 * A poll of the page is a load, a poll of the register an access to the device. */
#define PAGE_LOOKS 4096u
#define MMIO_LOOKS 4u

static bool fence_seen(const struct agpu_test *t, bool page, uint64_t fence)
{
    for (unsigned i = 0; i < (page ? PAGE_LOOKS : MMIO_LOOKS); i++) {
        if (page ? agpu_fence_page_value(&t->env->ring) >= fence
                 : agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) == (uint32_t)fence) {
            return true;
        }
    }
    return false;
}

/* Takes one sample: from the doorbell until a polling driver sees the fence. */
static bool sample_latency(struct agpu_test *t, bool page, uint64_t *out)
{
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_ring *ring = &t->env->ring;
    uint64_t fence = ++t->env->rig.fence;
    struct agpu_wait wait;
    uint64_t start;

    if (!post_fence(t, fence)) {
        return false;
    }
    agpu_wait_begin(&wait, platform, AGPU_RELAX_FENCE);
    start = platform->now_ns(platform->ctx);
    agpu_doorbell(ring);
    while (!fence_seen(t, page, fence)) {
        if (!agpu_wait_again(&wait)) {
            return agpu_check_ok(t, AGPU_ERR_TIMEOUT);
        }
    }
    *out = platform->now_ns(platform->ctx) - start;
    return true;
}

static void fence_latency(struct agpu_test *t, bool page)
{
    const struct agpu_platform *platform = t->env->platform;
    uint64_t *samples = platform->heap_alloc(platform->ctx, LATENCY_SAMPLES * sizeof *samples);
    uint64_t sample = 0;
    unsigned count = 0;

    agpu_require_ok(t, samples ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    for (unsigned i = 0; i < LATENCY_WARMUP + LATENCY_SAMPLES && agpu_time_left(t); i++) {
        if (!sample_latency(t, page, &sample)) {
            break;
        }
        if (i >= LATENCY_WARMUP) {
            insert_sorted(samples, count++, sample);
        }
    }
    if (count != 0) {
        agpu_metric(t, "doorbell_to_fence_ns_p50", samples[count / 2], "ns");
        agpu_metric(t, "doorbell_to_fence_ns_p99", samples[count * 99 / 100], "ns");
        agpu_metric(t, "doorbell_to_fence_count", count, "1");
    }
    platform->heap_free(platform->ctx, samples);
    agpu_check_eq_u64(t, count, LATENCY_SAMPLES);
}

/* Measures the time from the doorbell until a driver that polls the fence page reads the fence; each fence must
 * come. */
static void latency_page(struct agpu_test *t)
{
    fence_latency(t, true);
}

/* Measures the time from the doorbell until a driver that polls COMPLETED_FENCE reads the fence; each fence must
 * come. */
static void latency_mmio(struct agpu_test *t)
{
    fence_latency(t, false);
}

static const struct agpu_case ring_fence_cases[] = {
    {.id = "fence.order.advances", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = fence_advances},
    {.id = "fence.value.gaps", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = fence_gaps},
    {.id = "fence.value.64_bit", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = fence_wide},
    {.id = "fence.order.batch_ends_at_last",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .run = batch_ends_at_last},
    {.id = "fence.value.zero_signals_nothing",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = zero_signals_nothing},
    {.id = "fence.order.duplicate",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = fence_duplicate},
    {.id = "fence.order.stale",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = fence_stale},
    {.id = "fence.value.boundaries", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = fence_boundaries},
    {.id = "fence.order.stale_by_high_half",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = stale_by_high_half},
    {.id = "fence.order.work_first",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = work_before_fence},
    {.id = "fence.order.merged_in_batch",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = merged_in_batch},
    {.id = "fence.order.covered_by_later",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = covered_by_later},
    {.id = "fence.transport.reports", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = transport_reports},
    {.id = "fence.latency.doorbell_to_page",
     .spec = "ring.md 5",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE,
     .run = latency_page},
    {.id = "fence.latency.doorbell_to_mmio",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .run = latency_mmio},
};

AGPU_CASE_TABLE(agpu_cases_ring_fence, ring_fence_cases);
