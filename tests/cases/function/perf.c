/* perf.c: measures interrupts, the vblank clock and the start of the run; checks only that they come (device.md 4.4,
 * 4.7). */
#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "ring/irq.h"
#include "tests/cases/harness/stream.h"
#include "tests/cases/rig/samples.h"
#include "tests/cases/rig/taken.h"
#include "tests/cases/rig/vblank.h"

#define EDGES 8u

/* Measures the time from the doorbell of an empty submission to the handler's call for its fence. */
static void perf_interrupts(struct agpu_test *t, struct agpu_taken *taken, enum agpu_figure figure)
{
    struct agpu_samples samples = {0};

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    for (uint64_t count = 1; agpu_samples_go_on(t, &samples); count++) {
        const struct agpu_submission submission = {.fence = ++t->env->rig.fence};
        uint64_t before;

        agpu_assert_ok(t, agpu_ring_wait_room(&t->env->ring));
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        before = agpu_now(t);
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(agpu_wait_taken(t, taken, count));
        agpu_samples_add(&samples, taken->at_ns - before);
    }
    agpu_samples_send(t, figure, &samples);
}

/* Measures the time from the doorbell to the call of the handler by the line; each fence must call it. */
static void perf_by_line(struct agpu_test *t, struct agpu_taken *taken)
{
    perf_interrupts(t, taken, AGPU_FIGURE_interrupt_line_ns);
}

/* Measures the time from the doorbell to the call of the handler by an MSI message; each fence must call it. */
static void perf_by_msi(struct agpu_test *t, struct agpu_taken *taken)
{
    perf_interrupts(t, taken, AGPU_FIGURE_interrupt_msi_ns);
}

/* Measures the time from the doorbell to the call of the handler by an MSI-X message; each fence must call it. */
static void perf_by_msix(struct agpu_test *t, struct agpu_taken *taken)
{
    perf_interrupts(t, taken, AGPU_FIGURE_interrupt_msix_ns);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Measures the interval between edges by the machine's clock, and the distance of each edge from first edge + n
 * periods; each edge must come. */
static void perf_vblank(struct agpu_test *t)
{
    const uint64_t period = agpu_vblank_period(t);
    struct agpu_samples intervals = {0}, jitter = {0};
    struct agpu_vblank_edge first, edge, before;

    agpu_return_unless(agpu_vblank_start(t, &first));
    edge = first;
    for (unsigned i = 0; i < EDGES; i++) {
        before = edge;
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_samples_add(&intervals, (edge.seen - before.seen) / (edge.seq - before.seq));
        agpu_samples_add(&jitter, apart(edge.seen - first.seen, (edge.seq - first.seq) * period));
    }
    agpu_check_passed(t); /* each edge came */
    agpu_scanout_enable(t, 0);
    agpu_samples_send(t, AGPU_FIGURE_vblank_interval_ns, &intervals);
    agpu_samples_send(t, AGPU_FIGURE_vblank_jitter_ns, &jitter);
}

/* Measures the time from the machine's reset to the start of this program (if the clock counts from the reset), and
 * from there to the plan record, which must be later. */
static void perf_boot(struct agpu_test *t)
{
    const struct agpu_stream *stream = t->stream;

    agpu_assert(t, stream->plan_ns >= stream->start_ns);
    if (t->platform->test->boot_ns != 0) {
        agpu_figure_send(t, AGPU_FIGURE_boot_entry_us, t->platform->test->boot_ns / 1000);
    }
    agpu_figure_send(t, AGPU_FIGURE_boot_record_us,
                     (t->platform->test->boot_ns + stream->plan_ns - stream->start_ns) / 1000);
}

#define INTERRUPT(word, way, function)                                                                       \
    {                                                                                                        \
        .id = "perf.interrupt." word, .spec = "device.md 4.4", .needs = AGPU_NEED_RING,                      \
        .run = agpu_run_taken_case, .arg = &(const struct agpu_taken_case){(way), (function)},               \
    }

static const struct agpu_case function_perf_cases[] = {
    {.id = "perf.boot.record", .spec = "tests/cases/README.md", .needs = AGPU_NEED_MACHINE, .run = perf_boot},
    INTERRUPT("line", AGPU_IRQ_LINE, perf_by_line),
    INTERRUPT("msi", AGPU_IRQ_MSI, perf_by_msi),
    INTERRUPT("msix", AGPU_IRQ_MSIX, perf_by_msix),
    {.id = "perf.vblank.period",
     .spec = "device.md 4.7",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT,
     .run = perf_vblank},
};

AGPU_CASE_TABLE(agpu_cases_function_perf, function_perf_cases);
