/* fence.c: which fence completes when, and the time it takes (ring.md 4, 6). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/submit.h"

#define LATENCY_SAMPLES 500u
#define LATENCY_WARMUP  20u

static uint64_t fence_completed(const struct agpu_test *t)
{
    return agpu_fence_mmio_value(&t->env->function);
}

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

static void fence_advances(struct agpu_test *t)
{
    for (uint64_t fence = 1; fence <= 10; fence++) {
        agpu_return_unless(run_fence(t, fence));
        agpu_check_completed(t, fence);
    }
}

static void fence_gaps(struct agpu_test *t)
{
    static const uint64_t fences[] = {1, 5, 6, 1000, 0xFFFFFFFF, 0x100000000, 0x100000001};

    for (unsigned i = 0; i < sizeof fences / sizeof fences[0]; i++) {
        agpu_return_unless(run_fence(t, fences[i]));
        agpu_check_completed(t, fences[i]);
    }
}

static void fence_wide(struct agpu_test *t)
{
    agpu_return_unless(run_fence(t, UINT64_C(0x123456789ABCDEF0)));
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), 0x9ABCDEF0);
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI), 0x12345678);
    agpu_return_unless(run_fence(t, UINT64_MAX - 1));
    agpu_check_completed(t, UINT64_MAX - 1);
}

static void batch_ends_at_last(struct agpu_test *t)
{
    for (uint64_t fence = 10; fence <= 14; fence++) {
        agpu_return_unless(post_fence(t, fence));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 14));
    agpu_check_completed(t, 14);
}

static void zero_signals_nothing(struct agpu_test *t)
{
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(post_fence(t, 0));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(fence_drain(t));
    agpu_check_completed(t, 0);
    agpu_check_irq(t, 0);
    run_fence(t, 1);
}

/* A fence that is not above the completed one signals nothing. */
static void not_above(struct agpu_test *t, uint64_t fence)
{
    agpu_return_unless(run_fence(t, 10));
    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(post_fence(t, fence));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(fence_drain(t));
    agpu_check_completed(t, 10);
    agpu_check_irq(t, 0);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
    run_fence(t, 11);
    agpu_check_irq(t, AEROGPU_IRQ_FENCE);
}

static void fence_duplicate(struct agpu_test *t)
{
    not_above(t, 10);
}

static void fence_stale(struct agpu_test *t)
{
    not_above(t, 3);
}

static void merged_in_batch(struct agpu_test *t)
{
    agpu_return_unless(post_fence(t, 7));
    agpu_return_unless(post_fence(t, 7));
    agpu_return_unless(post_fence(t, 8));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 8));
    agpu_return_unless(fence_drain(t));
    agpu_check_completed(t, 8);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
}

static void covered_by_later(struct agpu_test *t)
{
    agpu_return_unless(post_fence(t, 9));
    agpu_return_unless(post_fence(t, 5));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 9));
    agpu_return_unless(fence_drain(t));
    agpu_check_completed(t, 9);
}

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

/* Insertion keeps the samples sorted; a few hundred are cheap. */
static void insert_sorted(uint64_t *samples, unsigned count, uint64_t sample)
{
    unsigned i = count;

    for (; i > 0 && samples[i - 1] > sample; i--) {
        samples[i] = samples[i - 1];
    }
    samples[i] = sample;
}

/* Looks in one round, before the machine is let idle: idling pumps the network and may cost more than the
 * answer takes. Polling the page is a load, polling a register a trip to the device. */
#define PAGE_LOOKS 4096u
#define MMIO_LOOKS 4u

static bool fence_seen(const struct agpu_test *t, bool page, uint64_t fence)
{
    for (unsigned i = 0; i < (page ? PAGE_LOOKS : MMIO_LOOKS); i++) {
        if ((page ? agpu_fence_page_value(&t->env->ring) : fence_completed(t)) >= fence) {
            return true;
        }
    }
    return false;
}

/* One sample: doorbell to fence seen, as a driver that polls would see it. */
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

static void latency_page(struct agpu_test *t)
{
    fence_latency(t, true);
}

static void latency_mmio(struct agpu_test *t)
{
    fence_latency(t, false);
}

static const struct agpu_case cases[] = {
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
     .run = zero_signals_nothing},
    {.id = "fence.order.duplicate", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = fence_duplicate},
    {.id = "fence.order.stale", .spec = "ring.md 4", .needs = AGPU_NEED_RING, .run = fence_stale},
    {.id = "fence.order.merged_in_batch",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .run = merged_in_batch},
    {.id = "fence.order.covered_by_later",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
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

AGPU_CASE_TABLE(agpu_cases_ring_fence, cases);
