/* perf.c: measures the cost of register accesses and submissions on this machine with this device; checks only that the
 * work is done (device.md 3, 4.3; ring.md 2, 4). */
#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/samples.h"
#include "tests/cases/rig/submit.h"

#define IN_FLIGHT 8u
#define POLLS     256u /* polls of the fence before the machine is let idle */

static uint64_t perf_now(const struct agpu_test *t)
{
    return t->platform->now_ns(t->platform->ctx);
}

/* Measures the time of one read of MAGIC, which must have its value every time. */
static void perf_read(struct agpu_test *t)
{
    struct agpu_samples samples = {0};

    while (agpu_samples_go_on(t, &samples)) {
        const uint64_t before = perf_now(t);
        const uint32_t magic = agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_MAGIC);

        agpu_samples_add(&samples, perf_now(t) - before);
        agpu_assert(t, magic == AEROGPU_MMIO_MAGIC);
    }
    agpu_samples_send(t, AGPU_FIGURE_register_read_ns, &samples);
}

/* Measures the time of one register write: an acknowledge of no bits, which must have no effect. */
static void perf_write(struct agpu_test *t)
{
    struct agpu_samples samples = {0};

    while (agpu_samples_go_on(t, &samples)) {
        const uint64_t before = perf_now(t);

        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_IRQ_ACK, 0);
        agpu_samples_add(&samples, perf_now(t) - before);
    }
    agpu_samples_send(t, AGPU_FIGURE_register_write_ns, &samples);
    agpu_check_irq(t, 0);
}

static bool perf_post(struct agpu_test *t)
{
    const struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    return agpu_check_ok(t, agpu_ring_wait_room(&t->env->ring)) &&
           agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* Submits `depth` submissions with one doorbell and waits for the last fence; the sample is the time per submission. */
static bool perf_batch(struct agpu_test *t, unsigned depth, struct agpu_samples *samples)
{
    const uint64_t before = perf_now(t);

    for (unsigned i = 0; i < depth; i++) {
        if (!perf_post(t)) {
            return false;
        }
    }
    agpu_doorbell(&t->env->ring);
    if (!agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence))) {
        return false;
    }
    agpu_samples_add(samples, (perf_now(t) - before) / depth);
    return true;
}

/* Measures submissions per second with 1, 4, 16 and 64 of them per doorbell; all must complete. */
static void perf_depths(struct agpu_test *t)
{
    static const struct {
        unsigned depth;
        enum agpu_figure ns, rate;
    } depths[] = {{1, AGPU_FIGURE_submission_depth_1_ns, AGPU_FIGURE_submission_depth_1_rate},
                  {4, AGPU_FIGURE_submission_depth_4_ns, AGPU_FIGURE_submission_depth_4_rate},
                  {16, AGPU_FIGURE_submission_depth_16_ns, AGPU_FIGURE_submission_depth_16_rate},
                  {64, AGPU_FIGURE_submission_depth_64_ns, AGPU_FIGURE_submission_depth_64_rate}};

    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        struct agpu_samples samples = {0};

        while (agpu_samples_go_on(t, &samples)) {
            agpu_return_unless(perf_batch(t, depths[i].depth, &samples));
        }
        agpu_samples_send_rate(t, depths[i].ns, depths[i].rate, &samples, 1);
    }
}

/* Measures one submission at a time, from the doorbell until the driver reads the fence; each fence must come. */
static void fence_serial(struct agpu_test *t)
{
    struct agpu_samples samples = {0};

    while (agpu_samples_go_on(t, &samples)) {
        uint64_t before;

        agpu_return_unless(perf_post(t));
        before = perf_now(t);
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        agpu_samples_add(&samples, perf_now(t) - before);
    }
    agpu_samples_send(t, AGPU_FIGURE_fence_serial_ns, &samples);
}

struct perf_pipeline {
    uint64_t rung_ns[IN_FLIGHT]; /* indexed by fence */
    uint64_t seen;               /* the last fence that was seen */
    struct agpu_samples samples;
};

/* Waits for the next fence and records all that have completed. */
static bool perf_see_fences(struct agpu_test *t, struct perf_pipeline *pipeline)
{
    struct agpu_ring *ring = &t->env->ring;
    uint64_t completed = pipeline->seen, now;
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->platform, AGPU_RELAX_FENCE);
    do {
        for (unsigned i = 0; i < POLLS && completed <= pipeline->seen; i++) {
            const enum agpu_status status = agpu_fence_completed(ring, &completed);

            if (status != AGPU_OK) {
                return agpu_check_ok(t, status);
            }
        }
    } while (completed <= pipeline->seen && agpu_wait_again(&wait));
    if (completed <= pipeline->seen) {
        return agpu_check_ok(t, agpu_fence_wait(ring, t->env->rig.fence));
    }
    for (now = perf_now(t); pipeline->seen < completed;) {
        agpu_samples_add(&pipeline->samples, now - pipeline->rung_ns[++pipeline->seen % IN_FLIGHT]);
    }
    return true;
}

/* Measures eight submissions in flight, each with its own doorbell: time from doorbell to fence, and submissions per
 * second; all must complete. */
static void fence_pipelined(struct agpu_test *t)
{
    struct perf_pipeline pipeline = {.seen = t->env->rig.fence};
    const uint64_t began = perf_now(t);
    uint64_t took;

    while (agpu_samples_go_on(t, &pipeline.samples)) {
        while (t->env->rig.fence - pipeline.seen < IN_FLIGHT) {
            agpu_return_unless(perf_post(t));
            pipeline.rung_ns[t->env->rig.fence % IN_FLIGHT] = perf_now(t);
            agpu_doorbell(&t->env->ring);
        }
        agpu_return_unless(perf_see_fences(t, &pipeline));
    }
    took = perf_now(t) - began;
    agpu_check_drop(t, pipeline.samples.checks); /* the number of submissions depends on time */
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_samples_send(t, AGPU_FIGURE_fence_pipelined_ns, &pipeline.samples);
    if (took != 0) {
        agpu_figure_send(t, AGPU_FIGURE_fence_pipelined_rate,
                         pipeline.samples.count * UINT64_C(1000000000) / took);
    }
}

#define PERF(name, section, need, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = (need), .run = (function)                                  \
    }

static const struct agpu_case ring_perf_cases[] = {
    PERF("perf.register.read", "device.md 3", AGPU_NEED_FUNCTION, perf_read),
    PERF("perf.register.write", "device.md 4.4", AGPU_NEED_FUNCTION, perf_write),
    PERF("perf.submit.depths", "ring.md 2", AGPU_NEED_RING, perf_depths),
    PERF("perf.fence.serial", "ring.md 4", AGPU_NEED_RING, fence_serial),
    PERF("perf.fence.pipelined", "ring.md 4", AGPU_NEED_RING, fence_pipelined),
};

AGPU_CASE_TABLE(agpu_cases_ring_perf, ring_perf_cases);
