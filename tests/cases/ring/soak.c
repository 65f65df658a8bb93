/* soak.c: the result of each of thousands of submissions, and of a large amount of work at once (ring.md 1; device.md
 * 0). */
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/ring.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

#define SOAK_ENTRIES 2000u
#define SOAK_SLOTS   16u
#define SOAK_STREAM  160u /* bytes apart */
#define SOAK_WORD(i) ((i)*UINT32_C(0x9E3779B1) ^ 0x5A5A0000u)

/* Posts entry i: buffer 2 is copied to word i of buffer 1, then buffer 2 gets a new word, so an entry that is lost,
 * repeated or out of order shows in the next. Streams are far enough apart that none is still in use. */
static bool ring_soak_post(struct agpu_test *t, uint32_t i)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t word = SOAK_WORD(i);
    struct agpu_submission submission;

    rig->cmd_start = i % 200 * SOAK_STREAM;
    rig->cmd_used = rig->cmd_start + (uint32_t)sizeof(struct aerogpu_cmd_stream_header);
    agpu_put_copy_buffer(rig, 1, 4 * (uint64_t)i, 2, 0, sizeof word, 0);
    agpu_put_upload(rig, 2, 0, &word, sizeof word);
    return agpu_check(t, agpu_rig_finish(rig, &submission)) &&
           agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* Given thousands of entries in batches of every size, each must do its own work once, in order, from its own slot. */
static void ring_submit_soak(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = SOAK_SLOTS};
    struct agpu_rig *rig = &t->env->rig;
    static uint32_t expected[SOAK_ENTRIES];
    uint32_t posted = 0;

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    agpu_put_create_buffer(rig, 1, sizeof expected, 0, 0);
    agpu_put_create_buffer(rig, 2, sizeof expected[0], 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    while (posted < SOAK_ENTRIES) {
        agpu_return_unless(agpu_time_left(t));
        for (uint32_t i = 0; i < 1 + posted % 7 && posted < SOAK_ENTRIES; i++, posted++) {
            agpu_assert_ok(t, agpu_ring_wait_room(&t->env->ring));
            agpu_return_unless(ring_soak_post(t, posted));
            expected[posted] = posted == 0 ? 0 : SOAK_WORD(posted - 1);
        }
        agpu_doorbell(&t->env->ring);
        if (posted % 128 < 7) {
            agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, rig->fence));
            agpu_return_unless(agpu_check_completed(t, rig->fence));
        }
    }
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, rig->fence));
    agpu_check_head(t, SOAK_ENTRIES + 1);
    agpu_check_no_errors_counted(t);
    agpu_rig_begin_over(rig);
    agpu_put_readback(rig, 1, 0, SOAK_ENTRIES * sizeof expected[0]);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, SOAK_ENTRIES * sizeof expected[0]);
}

/* Given one batch with more work than a device does in one pass (device.md 0), the device must continue without another
 * doorbell. */
static void ring_submit_long_batch(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t size = 65536;
    struct agpu_submission submission;

    agpu_put_create_buffer(rig, 1, size, 0, 0);
    agpu_put_create_buffer(rig, 2, size, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    for (unsigned i = 0; i < 1000; i++) {
        agpu_put_copy_buffer(rig, 1 + i % 2, 0, 2 - i % 2, 0, size, 0);
    }
    agpu_return_unless(agpu_check(t, agpu_rig_finish(rig, &submission)));
    for (unsigned i = 0; i < 9; i++) { /* 560 MiB */
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        submission.fence = ++rig->fence;
    }
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, rig->fence));
    agpu_check_head(t, 11);
    agpu_check_completed(t, rig->fence);
    agpu_check_no_errors_counted(t);
    agpu_rig_begin_over(rig);
}

static const struct agpu_case ring_soak_cases[] = {
    {.id = "ring.soak.batches",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = ring_submit_soak},
    {.id = "ring.soak.long_batch",
     .spec = "device.md 0",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = ring_submit_long_batch},
};

AGPU_CASE_TABLE(agpu_cases_ring_soak, ring_soak_cases);
