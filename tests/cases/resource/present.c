/* present.c: presents and their pacing by vblank (ring.md 7, commands.md 11). */
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/paced.h"
#include "tests/cases/rig/vblank.h"

#define VSYNC  AEROGPU_PRESENT_FLAG_VSYNC
#define MISSES 20u /* rounds in which an edge may come before the case can check */

/* The fence of a present with VSYNC must complete at a vblank edge after its doorbell. */
static void vsync_waits_for_an_edge(struct agpu_test *t)
{
    static const struct agpu_paced one[] = {AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1)};

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(AGPU_PACED_RUN(t, one));
    }
    agpu_check_no_errors_counted(t);
}

/* Given a paced present, writes to other registers must not release its fence; only ENABLE = 0 does. */
static void vsync_undisturbed(struct agpu_test *t)
{
    static const uint32_t writes[][2] = {
        {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 2},    {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 5},
        {AEROGPU_MMIO_REG_SCANOUT0_FORMAT, 1},    {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0x1000},
        {AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0}, {AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 0},
        {AEROGPU_MMIO_REG_CURSOR_ENABLE, 1},      {AEROGPU_MMIO_REG_CURSOR_ENABLE, 0},
        {AEROGPU_MMIO_REG_IRQ_ENABLE, 3},         {AEROGPU_MMIO_REG_IRQ_ACK, UINT32_MAX},
        {AEROGPU_MMIO_REG_DOORBELL, 0},           {AEROGPU_MMIO_REG_RING_CONTROL, 0},
        {AEROGPU_MMIO_REG_RING_CONTROL, 1},       {AEROGPU_MMIO_REG_DOORBELL, 1},
    };
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1);
    struct agpu_vblank_edge edge;
    bool on_time = false;

    agpu_return_unless(agpu_vblank_begin(t, &edge));
    agpu_return_unless(agpu_paced_post(t, &one));
    edge.seq = agpu_vblank_seq(t);
    agpu_doorbell(&t->env->ring);
    agpu_paced_taken(t);
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        agpu_reg_write(&t->env->function, writes[i][0], writes[i][1]);
    }
    agpu_paced_follow(t, &one, 1, t->env->rig.fence, edge.seq, &on_time);
}

/* Given several presents with VSYNC, one must complete at each vblank edge. */
static void one_for_each_edge(struct agpu_test *t)
{
    static const struct agpu_paced list[] = {
        AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1),    AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 2),
        AGPU_PACED(AGPU_PACED_PRESENT_EX, VSYNC, 3), AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 4),
        AGPU_PACED(AGPU_PACED_PRESENT_EX, VSYNC, 5), AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 6),
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(AGPU_PACED_RUN(t, list));
    agpu_check_no_errors_counted(t);
}

/* Immediate work after a held fence must complete together with it. */
static void later_work_queues_after_it(struct agpu_test *t)
{
    static const struct agpu_paced list[] = {
        AGPU_PACED(AGPU_PACED_EMPTY, 0, 0),      AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1),
        AGPU_PACED(AGPU_PACED_EMPTY, 0, 1),      AGPU_PACED(AGPU_PACED_PRESENT, 0, 1),
        AGPU_PACED(AGPU_PACED_NO_PRESENT, 0, 1), AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 2),
        AGPU_PACED(AGPU_PACED_EMPTY, 0, 2),      AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 3),
    };

    agpu_scanout_enable(t, 1);
    AGPU_PACED_RUN(t, list);
}

/* Every kind of submission that paces must wait for a vblank edge. */
static void vsync_of_every_kind(struct agpu_test *t)
{
    static const struct agpu_paced kinds[] = {
        AGPU_PACED(AGPU_PACED_PRESENT, UINT32_MAX, 1),
        {AGPU_PACED_PRESENT, VSYNC, 2, .scanout_id = 5},
        {AGPU_PACED_PRESENT_EX, VSYNC, 3, .scanout_id = UINT32_MAX},
        AGPU_PACED(AGPU_PACED_TWO, VSYNC, 4),
        AGPU_PACED(AGPU_PACED_TWO_OTHER, VSYNC, 5),
        AGPU_PACED(AGPU_PACED_LONGER, VSYNC, 6),
        AGPU_PACED(AGPU_PACED_LATE, VSYNC, 7),
        {AGPU_PACED_PRESENT, VSYNC, 8, .desc_flags = AEROGPU_SUBMIT_FLAG_NO_IRQ},
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(AGPU_PACED_RUN(t, kinds));
    agpu_check_no_errors_counted(t);
}

/* Faults in packets must not change the pacing. */
static void vsync_with_errors(struct agpu_test *t)
{
    static const struct agpu_paced kinds[] = {
        AGPU_PACED(AGPU_PACED_AFTER_ERROR, VSYNC, 1), AGPU_PACED(AGPU_PACED_AFTER_SHORT, VSYNC, 2),
        AGPU_PACED(AGPU_PACED_SHORT_EX, VSYNC, 3), AGPU_PACED(AGPU_PACED_BEHIND_BARE, VSYNC, 3),
        AGPU_PACED(AGPU_PACED_BEFORE_ERROR, VSYNC, 4)};

    const struct agpu_executor *executor = agpu_executor_of(t);

    agpu_return_unless(executor != NULL);
    agpu_scanout_enable(t, 1);
    agpu_return_unless(AGPU_PACED_RUN(t, kinds));
    /* One known executor ignores the size of a present (commands.md 3). */
    agpu_check(t, agpu_error_count(t->env) >= (executor->implicit ? 3u : 5u));
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    agpu_run_empty(t);
}

/* Submissions that do not pace must complete without an edge. */
static void vsync_of_no_kind(struct agpu_test *t)
{
    static const struct agpu_paced kinds[] = {
        AGPU_PACED(AGPU_PACED_PRESENT, 0, 0),
        AGPU_PACED(AGPU_PACED_PRESENT, 2, 0),
        AGPU_PACED(AGPU_PACED_PRESENT, ~VSYNC, 0),
        AGPU_PACED(AGPU_PACED_PRESENT_EX, ~VSYNC, 0),
        {AGPU_PACED_PRESENT, 0, 0, .desc_flags = AEROGPU_SUBMIT_FLAG_PRESENT},
        {AGPU_PACED_EMPTY, 0, 0, .desc_flags = AEROGPU_SUBMIT_FLAG_PRESENT},
        {AGPU_PACED_NO_PRESENT, 0, 0, .desc_flags = AEROGPU_SUBMIT_FLAG_PRESENT},
        {AGPU_PACED_PRESENT, 0, 0, .scanout_id = VSYNC},
        {AGPU_PACED_PRESENT_EX, 0, 0, .scanout_id = VSYNC},
        AGPU_PACED(AGPU_PACED_TWO, 0, 0),
        AGPU_PACED(AGPU_PACED_LATE, 0, 0),
        AGPU_PACED(AGPU_PACED_EMPTY, 0, 0),
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(AGPU_PACED_RUN(t, kinds));
    agpu_check_no_errors_counted(t);
}

/* An edge that was due when the doorbell rang must not release a fence of that doorbell. */
static void vsync_old_edge(struct agpu_test *t)
{
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 2);
    struct agpu_vblank_edge edge;
    bool on_time = false;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_vblank_read(t, &edge));
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(agpu_paced_post(t, &one));
        agpu_vblank_stall(t, 12);
        agpu_doorbell(&t->env->ring);
        agpu_return_unless(agpu_paced_follow(t, &one, 1, t->env->rig.fence, edge.seq, &on_time));
    }
}

/* With the scanout off, a present with VSYNC must complete without an edge. */
static void vsync_without_scanout(struct agpu_test *t)
{
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 0);
    uint64_t before = agpu_vblank_seq(t);

    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(agpu_paced_post(t, &one));
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    }
    agpu_check_eq_u64(t, agpu_vblank_seq(t), before);
}

/* A paced present without a fence must not wait for an edge, nor make later work wait. */
static void vsync_without_fence(struct agpu_test *t)
{
    static const struct agpu_paced kinds[] = {
        {AGPU_PACED_PRESENT, VSYNC, 0, .no_fence = true},
        AGPU_PACED(AGPU_PACED_EMPTY, 0, 0),
        AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1),
        {AGPU_PACED_PRESENT_EX, VSYNC, 1, .no_fence = true},
        AGPU_PACED(AGPU_PACED_EMPTY, 0, 1),
    };

    agpu_scanout_enable(t, 1);
    agpu_return_unless(AGPU_PACED_RUN(t, kinds));
    agpu_check_no_errors_counted(t);
}

/* Posts this many submissions of one kind with one doorbell. */
static bool post_paced_many(struct agpu_test *t, const struct agpu_paced *paced, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!agpu_paced_post(t, paced)) {
            return false;
        }
    }
    return true;
}

/* Switching the scanout off must release all held fences, with their interrupt. */
static void scanout_off_releases(struct agpu_test *t)
{
    static const struct agpu_paced one[] = {AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1)};
    uint64_t before;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    /* Switches the scanout off; then, for a device that releases held fences at the write, off and at once on again. */
    for (unsigned again = 0; again < (t->env->model ? 2 : 1); again++) {
        agpu_scanout_enable(t, 1);
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(post_paced_many(t, one, 20));
        before = agpu_vblank_seq(t);
        agpu_doorbell(&t->env->ring);
        agpu_scanout_enable(t, 0);
        agpu_scanout_enable(t, again);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        /* With pacing, the twenty would have taken as many edges. */
        agpu_check_within(t, agpu_vblank_seq(t) - before, 0, 19,
                          "vblank edges until the held fences completed");
        agpu_return_unless(agpu_check_completed(t, t->env->rig.fence));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    }
    /* The next one is paced again. */
    agpu_scanout_enable(t, 1);
    AGPU_PACED_RUN(t, one);
}

/* A ring reset must drop held fences: they never complete. */
static void reset_drops_held(struct agpu_test *t)
{
    static const struct agpu_paced list[] = {AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1),
                                             AGPU_PACED(AGPU_PACED_EMPTY, 0, 1)};
    struct agpu_vblank_edge edge;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_return_unless(agpu_vblank_begin(t, &edge));
    agpu_return_unless(agpu_paced_post(t, &list[0]) && agpu_paced_post(t, &list[1]));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    /* The fence completes neither at an edge nor when the scanout is switched off. */
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_vblank_next(t, &edge));
        agpu_check_completed(t, 0);
    }
    agpu_scanout_enable(t, 0);
    agpu_settle(t);
    agpu_check_completed(t, 0);
    agpu_check_eq_hex(t, agpu_irq_status(&t->env->function), 0);
    if (t->env->ring.page.cpu != NULL) {
        agpu_check_u64(t, agpu_fence_page_value(&t->env->ring), 0, "completed_fence of the fence page", false,
                       AGPU_HERE);
    }
    agpu_run_empty(t);
}

/* Given a fence whose edge comes while Bus Master is clear, it must complete when that is set, or at the next edge. */
static void vsync_without_master(struct agpu_test *t)
{
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1);
    const struct agpu_function *function = &t->env->function;
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_begin(t, &edge));
    agpu_return_unless(agpu_run_empty(t));
    agpu_return_unless(agpu_paced_post(t, &one));
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_check_head(t, 2));
    if (agpu_fence_mmio_value(function) != 1) {
        return; /* an edge came before the driver cleared Bus Master */
    }
    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    if (agpu_fence_mmio_value(function) == 1) {
        agpu_return_unless(agpu_vblank_read(t, &edge) && agpu_vblank_next(t, &edge) &&
                           agpu_vblank_next(t, &edge));
        agpu_check_completed(t, 1);
    }
    agpu_function_restore(function);
    if (t->env->model) {
        agpu_check_u64(t, agpu_fence_mmio_value(function), t->env->rig.fence,
                       "COMPLETED_FENCE when bus master is on again after its edge", false, AGPU_HERE);
    }
    agpu_return_unless(agpu_vblank_read(t, &edge));
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_within(t, agpu_vblank_seq(t) - edge.seq, 0, 30,
                      "vblank edges to a fence whose own came without bus master");
}

/* Given a scanout that is switched off while Bus Master is clear, held fences must complete when Bus Master is set,
 * although no further edge comes. */
static void scanout_off_without_master(struct agpu_test *t)
{
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1);
    const struct agpu_function *function = &t->env->function;

    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_paced_post(t, &one));
    }
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_check_head(t, t->env->ring.tail));
    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_scanout_enable(t, 0);
    agpu_function_restore(function);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_completed(t, t->env->rig.fence);
}

/* ---- interrupts of held fences ---- */

/* The fence interrupt must come with the fences that complete in one step, if one of them wants it; not earlier, and
 * not if none does. */
static void vsync_interrupts(struct agpu_test *t)
{
    static const uint32_t flags[][3] = {
        {0, 0, 0},
        {0, AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ},
        {AEROGPU_SUBMIT_FLAG_NO_IRQ, 0, AEROGPU_SUBMIT_FLAG_NO_IRQ},
        {AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0},
        {AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ, AEROGPU_SUBMIT_FLAG_NO_IRQ}};
    unsigned misses = 0;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0];) {
        const bool wanted = i + 1 < sizeof flags / sizeof flags[0];
        const uint64_t before = t->env->rig.fence;
        const unsigned checks = t->checks;
        uint32_t status;
        bool held;

        agpu_rig_begin_over(&t->env->rig);
        for (unsigned j = 0; j < 3; j++) {
            struct agpu_paced one = {
                j == 0 ? AGPU_PACED_PRESENT : AGPU_PACED_EMPTY, VSYNC, 1, flags[i][j], 0, false};

            agpu_return_unless(agpu_paced_post(t, &one));
        }
        agpu_doorbell(&t->env->ring);
        status = agpu_irq_status(&t->env->function);
        held = agpu_fence_mmio_value(&t->env->function) == before;
        agpu_check_u64(t, held ? status : 0, 0, "IRQ_STATUS while the fence is held", true, AGPU_HERE);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        if (!held && misses++ < MISSES) { /* an edge was quicker than the read: try again */
            agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
            agpu_check_drop(t, checks);
            continue;
        }
        if (!wanted) {
            agpu_settle(t);
        }
        agpu_return_unless(agpu_check_irq(t, wanted ? AEROGPU_IRQ_FENCE : 0));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
        i++;
    }
}

/* A second submission with the value of a held fence must be held and complete with it, with an interrupt if one of
 * them wants it. */
static void vsync_merged(struct agpu_test *t)
{
    static const struct agpu_paced one = AGPU_PACED(AGPU_PACED_PRESENT, VSYNC, 1);
    struct agpu_submission same;
    uint64_t seq;
    bool on_time = false;

    agpu_irq_enable(&t->env->function, AEROGPU_IRQ_FENCE);
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < 2; i++) {
        agpu_rig_begin_over(&t->env->rig);
        agpu_return_unless(agpu_paced_post(t, &one));
        same = (struct agpu_submission){.fence = t->env->rig.fence, .flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &same));
        seq = agpu_vblank_seq(t);
        agpu_doorbell(&t->env->ring);
        agpu_paced_taken(t);
        agpu_return_unless(agpu_paced_follow(t, &one, 1, same.fence, seq, &on_time));
        agpu_return_unless(agpu_check_irq(t, AEROGPU_IRQ_FENCE));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_FENCE);
    }
}

/* ---- many ---- */

/* Frames of both kinds must each complete at their own edge. */
static void frames_paced(struct agpu_test *t, uint32_t count, unsigned times)
{
    static struct agpu_paced list[AGPU_PACED_MOST];

    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct agpu_paced){
            i % 5 == 3 ? AGPU_PACED_PRESENT_EX : AGPU_PACED_PRESENT, VSYNC, i + 1, 0, 0, false};
    }
    agpu_scanout_enable(t, 1);
    for (unsigned i = 0; i < times; i++) {
        agpu_return_unless(agpu_paced_run(t, list, count));
    }
}

/* Six frames must each complete at their own edge. */
static void few_frames_paced(struct agpu_test *t)
{
    frames_paced(t, 6, 1);
}

/* In five rounds of many frames each, every frame must complete at its own edge. */
static void many_frames_paced(struct agpu_test *t)
{
    agpu_require_simulated_time(t);
    frames_paced(t, AGPU_PACED_MOST, 5);
}

#define PRESENT_CASE(name, function)                                                                         \
    {                                                                                                        \
        .id = (name), .spec = "ring.md 7", .needs = AGPU_NEED_RING,                                          \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case resource_present_cases[] = {
    PRESENT_CASE("present.vsync.waits_for_an_edge", vsync_waits_for_an_edge),
    PRESENT_CASE("present.vsync.undisturbed", vsync_undisturbed),
    PRESENT_CASE("present.vsync.one_for_each_edge", one_for_each_edge),
    PRESENT_CASE("present.vsync.later_work_queues_after_it", later_work_queues_after_it),
    PRESENT_CASE("present.vsync.every_kind", vsync_of_every_kind),
    PRESENT_CASE("present.vsync.no_kind", vsync_of_no_kind),
    {.id = "present.vsync.with_errors",
     .spec = "ring.md 7",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_ERROR_INFO,
     .run = vsync_with_errors},
    PRESENT_CASE("present.vsync.old_edge", vsync_old_edge),
    PRESENT_CASE("present.vsync.interrupts", vsync_interrupts),
    PRESENT_CASE("present.vsync.merged", vsync_merged),
    PRESENT_CASE("present.vsync.few_frames", few_frames_paced),
    PRESENT_CASE("present.vsync.many_frames", many_frames_paced),
    PRESENT_CASE("present.vsync.without_scanout", vsync_without_scanout),
    PRESENT_CASE("present.vsync.without_bus_master", vsync_without_master),
    PRESENT_CASE("present.vsync.without_fence", vsync_without_fence),
    PRESENT_CASE("present.vsync.scanout_off_without_bus_master", scanout_off_without_master),
    PRESENT_CASE("present.vsync.scanout_off_releases", scanout_off_releases),
    PRESENT_CASE("present.vsync.reset_drops_held", reset_drops_held),
};

AGPU_CASE_TABLE(agpu_cases_resource_present, resource_present_cases);
