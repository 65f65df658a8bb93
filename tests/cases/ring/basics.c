/* basics.c: the prerequisites of every other case, by name: the ring comes up, an empty submission completes, bytes
 * come back (device.md 4.2, 6; ring.md 2, 4; commands.md 6.4). The fixture proves them before these bodies run
 * (rig/prerequisites.h). */
#include <string.h>

#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

/* After the bring-up, head and COMPLETED_FENCE must be 0, and no interrupt may be pending. */
static void basics_bring_up(struct agpu_test *t)
{
    agpu_check_head(t, 0);
    agpu_check_completed(t, 0);
    agpu_check_irq(t, 0);
}

/* Forty empty submissions must complete one after the other: enough to find a device that loses one of 32. */
static void basics_submission(struct agpu_test *t)
{
    for (uint64_t fence = 1; fence <= 40; fence++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_check_completed(t, fence);
        agpu_check_head(t, (uint32_t)fence);
    }
}

/* Every byte of several copies, from uploaded bytes and from guest memory, must come back. The proof of the fixture
 * tries one way and one size only. */
static void basics_read_back(struct agpu_test *t)
{
    static const uint32_t sizes[] = {64, 20, 4, 128, 1024};
    struct agpu_rig *rig = agpu_rig_of(t);
    uint8_t expected[1024];

    for (uint32_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t size = sizes[i / 2];

        agpu_fill_pattern(expected, size, 1 + i);
        if (i % 2 == 0) {
            agpu_put_create_buffer(rig, 1, size, 0, 0);
            agpu_put_upload(rig, 1, 0, expected, size);
        } else {
            memcpy(rig->memory[0].cpu, expected, size);
            agpu_rig_alloc(rig, 1, &rig->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
            agpu_put_create_buffer(rig, 1, size, 1, 0);
            agpu_put_dirty(rig, 1, 0, size);
        }
        agpu_put_readback(rig, 1, 0, size);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, expected, size));
        agpu_put_destroy(rig, 1);
        agpu_put_readback_done(rig);
        agpu_return_unless(agpu_run_clean(t));
    }
}

static const struct agpu_case ring_basics_cases[] = {
    {.id = "ring.basics.bring_up", .spec = "device.md 6", .needs = AGPU_NEED_RING, .run = basics_bring_up},
    {.id = "fence.basics.empty_submission",
     .spec = "ring.md 4",
     .needs = AGPU_NEED_RING,
     .run = basics_submission},
    {.id = "buffer.basics.read_back",
     .spec = "commands.md 6.4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = basics_read_back},
};

AGPU_CASE_TABLE(agpu_cases_ring_basics, ring_basics_cases);
