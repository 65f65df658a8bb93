/* present.c: presents and their pacing by vblank (ring.md 7, commands.md 11). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

static uint64_t resource_present_seq(const struct agpu_test *t)
{
    return agpu_reg_read64(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

static void resource_present_scanout(const struct agpu_test *t, uint32_t on)
{
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, on);
}

/* Posts a present without the hint flag in the descriptor: what is on the screen is not under test here. */
static bool post_present(struct agpu_test *t, uint32_t flags)
{
    struct agpu_rig *rig = &t->env->rig;
    struct aerogpu_cmd_present *packet;
    struct agpu_submission submission;

    packet = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT, sizeof *packet);
    packet->flags = flags;
    if (!agpu_check(t, agpu_rig_finish(rig, &submission)) ||
        !agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission))) {
        return false;
    }
    agpu_rig_begin(rig);
    return true;
}

static bool wait_last(struct agpu_test *t)
{
    return agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
}

static void vsync_waits_for_an_edge(struct agpu_test *t)
{
    uint64_t before;

    resource_present_scanout(t, 1);
    for (unsigned i = 0; i < 3; i++) {
        before = resource_present_seq(t);
        agpu_return_unless(post_present(t, AEROGPU_PRESENT_FLAG_VSYNC));
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(wait_last(t));
        agpu_check(t, resource_present_seq(t) >= before + 1);
    }
}

static void one_for_each_edge(struct agpu_test *t)
{
    uint64_t before;

    resource_present_scanout(t, 1);
    before = resource_present_seq(t);
    for (unsigned i = 0; i < 4; i++) {
        agpu_return_unless(post_present(t, AEROGPU_PRESENT_FLAG_VSYNC));
    }
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(wait_last(t));
    agpu_check(t, resource_present_seq(t) >= before + 4);
}

static void later_work_queues_behind(struct agpu_test *t)
{
    uint64_t before;

    resource_present_scanout(t, 1);
    before = resource_present_seq(t);
    agpu_return_unless(post_present(t, AEROGPU_PRESENT_FLAG_VSYNC));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_run_empty(t));
    agpu_check(t, resource_present_seq(t) >= before + 1);
}

static void resource_present_immediate(struct agpu_test *t)
{
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_PRESENT, sizeof(struct aerogpu_cmd_present));
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_PRESENT_EX, sizeof(struct aerogpu_cmd_present_ex));
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
    agpu_run_clean(t);
}

static void vsync_without_scanout(struct agpu_test *t)
{
    uint64_t before = resource_present_seq(t);

    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(post_present(t, AEROGPU_PRESENT_FLAG_VSYNC));
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(wait_last(t));
    }
    agpu_check_eq_u64(t, resource_present_seq(t), before);
}

static void scanout_off_releases(struct agpu_test *t)
{
    uint64_t before;

    resource_present_scanout(t, 1);
    for (unsigned i = 0; i < 20; i++) {
        agpu_return_unless(post_present(t, AEROGPU_PRESENT_FLAG_VSYNC));
    }
    before = resource_present_seq(t);
    agpu_doorbell(&t->env->ring);
    resource_present_scanout(t, 0);
    agpu_return_unless(wait_last(t));
    /* Paced, the twenty would have taken as many edges. */
    agpu_check(t, resource_present_seq(t) < before + 20);
}

static void reset_drops_held(struct agpu_test *t)
{
    resource_present_scanout(t, 1);
    agpu_return_unless(post_present(t, AEROGPU_PRESENT_FLAG_VSYNC));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    resource_present_scanout(t, 0);
    agpu_settle(t);
    agpu_check_completed(t, 0);
    agpu_run_empty(t);
}

#define PRESENT_CASE(name, function)                                                                         \
    {                                                                                                        \
        .id = (name), .spec = "ring.md 7", .needs = AGPU_NEED_RING,                                          \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case cases[] = {
    PRESENT_CASE("present.vsync.waits_for_an_edge", vsync_waits_for_an_edge),
    PRESENT_CASE("present.vsync.one_for_each_edge", one_for_each_edge),
    PRESENT_CASE("present.vsync.later_work_queues_behind", later_work_queues_behind),
    PRESENT_CASE("present.vsync.without_scanout", vsync_without_scanout),
    PRESENT_CASE("present.vsync.scanout_off_releases", scanout_off_releases),
    PRESENT_CASE("present.vsync.reset_drops_held", reset_drops_held),
    {.id = "present.immediate",
     .spec = "commands.md 11",
     .needs = AGPU_NEED_RING,
     .run = resource_present_immediate},
};

AGPU_CASE_TABLE(agpu_cases_resource_present, cases);
