/* perf.c: what register accesses, submissions and copies cost on this machine with this device, as measurements; checked is
 * only that the work is done (device.md 3, 4.3; ring.md 2, 4; commands.md 6). */
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/samples.h"
#include "tests/cases/rig/submit.h"

#define ACCESSES    100u
#define SUBMISSIONS 128u
#define ROUNDS      8u
#define COPIES      8u

static uint64_t perf_now(const struct agpu_test *t)
{
    return t->platform->now_ns(t->platform->ctx);
}

static void perf_read(struct agpu_test *t)
{
    struct agpu_samples samples = {0};

    for (unsigned i = 0; i < ACCESSES; i++) {
        const uint64_t before = perf_now(t);
        const uint32_t magic = agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_MAGIC);

        agpu_samples_add(&samples, perf_now(t) - before);
        agpu_assert(t, magic == AEROGPU_MMIO_MAGIC);
    }
    agpu_samples_send(t, "register_read_ns", &samples, "ns");
}

/* An acknowledge of nothing, which no device may take for anything. */
static void perf_write(struct agpu_test *t)
{
    struct agpu_samples samples = {0};

    for (unsigned i = 0; i < ACCESSES; i++) {
        const uint64_t before = perf_now(t);

        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_IRQ_ACK, 0);
        agpu_samples_add(&samples, perf_now(t) - before);
    }
    agpu_samples_send(t, "register_write_ns", &samples, "ns");
    agpu_check_irq(t, 0);
}

/* depth submissions behind one doorbell, until the last fence; per submission. */
static bool perf_batch(struct agpu_test *t, unsigned depth, struct agpu_samples *samples)
{
    struct agpu_ring *ring = &t->env->ring;
    const uint64_t before = perf_now(t);

    for (unsigned i = 0; i < depth; i++) {
        const struct agpu_submission submission = {.fence = ++t->env->rig.fence};

        if (!agpu_check_ok(t, agpu_ring_wait_room(ring)) ||
            !agpu_check_ok(t, agpu_ring_post(ring, &submission))) {
            return false;
        }
    }
    agpu_doorbell(ring);
    if (!agpu_check_ok(t, agpu_fence_wait(ring, t->env->rig.fence))) {
        return false;
    }
    agpu_samples_add(samples, (perf_now(t) - before) / depth);
    return true;
}

static void perf_depths(struct agpu_test *t)
{
    static const struct {
        unsigned depth;
        const char *name;
    } depths[] = {{1, "submission_depth_1_ns"},
                  {4, "submission_depth_4_ns"},
                  {16, "submission_depth_16_ns"},
                  {64, "submission_depth_64_ns"}};

    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        struct agpu_samples samples = {0};

        for (unsigned done = 0; done < SUBMISSIONS && agpu_time_left(t); done += depths[i].depth) {
            agpu_return_unless(perf_batch(t, depths[i].depth, &samples));
        }
        agpu_samples_send(t, depths[i].name, &samples, "ns");
    }
}

/* Between two buffers of the device's, so that no guest memory is moved. */
static void perf_copies(struct agpu_test *t)
{
    static const struct {
        uint64_t bytes;
        const char *name;
    } sizes[] = {{4096, "copy_4_KiB_ns"}, {65536, "copy_64_KiB_ns"}, {1048576, "copy_1_MiB_ns"}};
    struct agpu_rig *rig = &t->env->rig;

    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t source = 1 + 2 * i;
        struct agpu_samples samples = {0};

        agpu_rig_begin_over(rig);
        agpu_put_create_buffer(rig, source, sizes[i].bytes, 0, 0);
        agpu_put_create_buffer(rig, source + 1, sizes[i].bytes, 0, 0);
        agpu_return_unless(agpu_run_clean(t));
        for (unsigned round = 0; round < ROUNDS && agpu_time_left(t); round++) {
            uint64_t before;

            for (unsigned k = 0; k < COPIES; k++) {
                agpu_put_copy_buffer(rig, source + 1, 0, source, 0, sizes[i].bytes, 0);
            }
            before = perf_now(t);
            agpu_return_unless(agpu_run_clean(t));
            agpu_samples_add(&samples, (perf_now(t) - before) / COPIES);
        }
        agpu_samples_send(t, sizes[i].name, &samples, "ns");
    }
}

static const struct agpu_case cases[] = {
    {.id = "perf.register.read", .spec = "device.md 3", .needs = AGPU_NEED_FUNCTION, .run = perf_read},
    {.id = "perf.register.write", .spec = "device.md 4.4", .needs = AGPU_NEED_FUNCTION, .run = perf_write},
    {.id = "perf.submit.depths", .spec = "ring.md 2", .needs = AGPU_NEED_RING, .run = perf_depths},
    {.id = "perf.copy.sizes",
     .spec = "commands.md 6.4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = perf_copies},
};

AGPU_CASE_TABLE(agpu_cases_ring_perf, cases);
