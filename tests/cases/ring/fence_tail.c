/* fence_tail.c: fences that complete, but some far too late (ring.md 4), which a median does not show. */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/prepare.h"

#define TAIL_SAMPLES 2048u
/* A slow device stops taking samples after this time: 2 ms each. */
#define TAIL_TIME_NS UINT64_C(4000000000)
#define TAIL_ENOUGH  128u

struct tail_samples {
    unsigned count;
    uint64_t ns[TAIL_SAMPLES];
};

/* A fence this late is slow if it is also this many times the median; less is noise of the machine. */
#define TAIL_SLOW_NS    UINT64_C(2000000)
#define TAIL_SLOW_TIMES 20u

/* At least this many slow fences at equal distances, with few others slow: no machine is that regular. */
#define TAIL_LEAST_REGULAR 6u
#define TAIL_FEW_OTHERS    20u /* one in this many of the others may be slow */

/* The limit for the three slowest, even on a busy machine. */
#define TAIL_BOUND_NS UINT64_C(1000000000)

static bool tail_sample(struct agpu_test *t, uint64_t *out)
{
    const struct agpu_platform *platform = t->env->platform;
    const uint64_t fence = ++t->env->rig.fence;
    const struct agpu_submission submission = {.fence = fence};
    struct agpu_wait wait;
    uint64_t start;

    if (!agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission))) {
        return false;
    }
    agpu_wait_begin(&wait, platform, AGPU_RELAX_FENCE);
    start = platform->now_ns(platform->ctx);
    agpu_doorbell(&t->env->ring);
    while (agpu_fence_page_value(&t->env->ring) < fence) {
        if (!agpu_wait_again(&wait)) {
            return agpu_check_ok(t, AGPU_ERR_TIMEOUT);
        }
    }
    *out = platform->now_ns(platform->ctx) - start;
    return true;
}

/* Returns the sample that has `rank` samples below it. */
static uint64_t tail_rank(const struct tail_samples *samples, unsigned rank)
{
    uint64_t low = 0, high = UINT64_MAX;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        unsigned below = 0;

        for (unsigned i = 0; i < samples->count; i++) {
            below += samples->ns[i] <= middle;
        }
        if (below > rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static bool tail_is_slow(uint64_t sample, uint64_t median)
{
    return sample > TAIL_SLOW_NS && sample / TAIL_SLOW_TIMES > median;
}

/* Returns the period, if every period-th sample is slow and few others are. */
static unsigned tail_regular_period(const struct tail_samples *samples, uint64_t median, unsigned slow)
{
    for (unsigned period = 4; period <= samples->count / TAIL_LEAST_REGULAR; period++) {
        for (unsigned phase = 0; phase < period; phase++) {
            unsigned count = 0;
            unsigned i = phase;

            while (i < samples->count && tail_is_slow(samples->ns[i], median)) {
                count++;
                i += period;
            }
            if (i >= samples->count && (slow - count) * TAIL_FEW_OTHERS <= samples->count) {
                return period;
            }
        }
    }
    return 0;
}

static void check_tail(struct agpu_test *t, const struct tail_samples *samples)
{
    const uint64_t median = tail_rank(samples, samples->count / 2);
    const uint64_t third = tail_rank(samples, samples->count - 3);
    unsigned slow = 0, period;
    char line[160];
    struct agpu_text text;

    for (unsigned i = 0; i < samples->count; i++) {
        slow += tail_is_slow(samples->ns[i], median);
    }
    agpu_metric(t, "doorbell_to_fence_ns_p999", third, "ns");
    agpu_metric(t, "doorbell_to_fence_slow", slow, "1");
    period = slow < TAIL_LEAST_REGULAR ? 0 : tail_regular_period(samples, median, slow);
    agpu_text_begin(&text, line, sizeof line);
    if (period != 0) {
        agpu_format(&text, "each fence comes soon: every %uth takes more than 20 times the median of %ju ns",
                    period, median);
        agpu_check_true(t, false, line, AGPU_HERE);
    }
    agpu_format_line(line, sizeof line,
                     "the third slowest of %u fences comes within 1 s: median %ju ns, this one ns %ju",
                     samples->count, median, third);
    agpu_check_true(t, third < TAIL_BOUND_NS, line, AGPU_HERE);
}

/* Returns true if more samples are needed and there is time for them. */
static bool tail_wants_more(struct agpu_test *t, const struct tail_samples *samples, uint64_t start)
{
    const uint64_t now = t->platform->now_ns(t->platform->ctx);

    return samples->count < TAIL_SAMPLES && (samples->count < TAIL_ENOUGH || now - start < TAIL_TIME_NS) &&
           agpu_time_left(t);
}

/* Given up to 2048 fences, one at a time, the third slowest must come within 1 s, and no regular share of them may take
 * more than 20 times the median. */
static void latency_tail(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const uint64_t start = t->platform->now_ns(t->platform->ctx);
    struct tail_samples *samples = platform->heap_alloc(platform->ctx, sizeof *samples);
    const unsigned checks = t->checks;
    bool good = true;

    agpu_require_ok(t, samples != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    samples->count = 0;
    while (good && tail_wants_more(t, samples, start)) {
        good = tail_sample(t, &samples->ns[samples->count]);
        samples->count += good;
        agpu_check_drop(t, checks); /* their number depends on time */
    }
    if (good && agpu_check_true(t, samples->count >= TAIL_ENOUGH, "128 fences come within the case's time",
                                AGPU_HERE)) {
        check_tail(t, samples);
    }
    platform->heap_free(platform->ctx, samples);
}

static const struct agpu_case ring_fence_tail_cases[] = {
    {.id = "fence.latency.tail",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_FENCE_PAGE,
     .run = latency_tail},
};

AGPU_CASE_TABLE(agpu_cases_ring_fence_tail, ring_fence_tail_cases);
