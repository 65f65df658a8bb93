/* present_backlog.c: more fences after a held one than a device can store (ring.md 3.1, 7; device.md 4.10): the ring
 * waits, and accepted work is neither lost nor reordered. */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/ring.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

#define BACKLOG_SLOTS   8192u
#define BACKLOG_ENTRIES 5000u

static bool backlog_post(struct agpu_test *t, uint32_t entries)
{
    for (uint32_t i = 0; i < entries; i++) {
        struct agpu_submission submission = {.fence = ++t->env->rig.fence};

        if (!agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission))) {
            return false;
        }
    }
    agpu_doorbell(&t->env->ring);
    return true;
}

/* Posts a paced present and the entries after it; the device has started to take them. */
static bool backlog_begin(struct agpu_test *t, struct agpu_vblank_edge *edge)
{
    struct agpu_ring_config config = {.entry_count = BACKLOG_SLOTS};
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;
    struct agpu_wait wait;
    uint64_t completed;

    if (!agpu_check_ok(t, agpu_ring_restart(t->env, &config)) || !agpu_vblank_begin(t, edge)) {
        return false;
    }
    agpu_put_present(rig, 0, AEROGPU_PRESENT_FLAG_VSYNC);
    if (!agpu_check(t, agpu_rig_finish(rig, &submission)) ||
        !agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission)) || !backlog_post(t, BACKLOG_ENTRIES)) {
        return false;
    }
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_ROOM);
    while (agpu_ring_head(&t->env->ring) == 0 && agpu_wait_again(&wait)) {
        ;
    }
    /* Without this move, neither a dropped nor a held backlog would be evidence. */
    if (!agpu_check_true(t, agpu_ring_head(&t->env->ring) != 0, "the ring head moves after a doorbell",
                         AGPU_HERE)) {
        return false;
    }
    completed = agpu_fence_mmio_value(&t->env->function);
    /* An edge may have come meanwhile. Another device may drop the oldest of too many, whose fence then completes with
     * an error (ring.md 3.1). */
    const bool held = agpu_vblank_seq(t) == edge->seq && (t->env->model || agpu_error_count(t->env) == 0);
    return agpu_check_u64(t, held ? completed : 0, 0, "COMPLETED_FENCE before the edge of the first of many",
                          false, AGPU_HERE);
}

static bool backlog_all_done(struct agpu_test *t)
{
    const struct agpu_ring *ring = &t->env->ring;

    return agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence)) &&
           agpu_check_head(t, ring->tail) && agpu_check_completed(t, t->env->rig.fence);
}

/* Given a full backlog, a doorbell that comes while the batch is in progress must be served after it. */
static void backlog_doorbell(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_return_unless(backlog_begin(t, &edge));
    agpu_return_unless(backlog_post(t, 3));
    agpu_return_unless(backlog_post(t, 100));
    agpu_return_unless(backlog_all_done(t));
    agpu_check_no_errors_counted(t);
    agpu_run_empty(t);
}

/* Held fences that ask for no interrupt must reach the fence page like others, at an edge and when the scanout is
 * switched off. */
static void backlog_quiet(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_vblank_edge edge;

    agpu_return_unless(agpu_vblank_start(t, &edge));
    for (unsigned i = 0; i < 4; i++) {
        struct agpu_submission submission;

        agpu_put_present(rig, 0, AEROGPU_PRESENT_FLAG_VSYNC);
        agpu_assert(t, agpu_rig_finish(rig, &submission));
        agpu_rig_begin_over(rig);
        submission.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ;
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        agpu_doorbell(&t->env->ring);
        if (i == 3) {
            agpu_return_unless(agpu_check_head(t, t->env->ring.tail));
            agpu_scanout_enable(t, 0);
        }
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, rig->fence)); /* by page or register */
        agpu_return_unless(agpu_check_completed(t, rig->fence) && agpu_check_page(t, rig->fence));
    }
}

/* Clearing ENABLE must drop nothing of the backlog (device.md 4.2). */
static void backlog_disabled(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_return_unless(backlog_begin(t, &edge));
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_return_unless(backlog_all_done(t));
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_run_empty(t);
}

/* A reset must drop the whole backlog: none of its fences completes, neither at an edge nor without scanout. */
static void backlog_reset(struct agpu_test *t)
{
    struct agpu_vblank_edge edge;

    agpu_return_unless(backlog_begin(t, &edge));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_vblank_read(t, &edge) && agpu_vblank_next(t, &edge));
        agpu_return_unless(agpu_check_completed(t, 0));
    }
    agpu_scanout_enable(t, 0);
    agpu_settle(t);
    agpu_return_unless(agpu_check_completed(t, 0));
    agpu_check_head(t, 0);
    agpu_run_empty(t);
}

#define BACKLOG_CASE(name, function)                                                                         \
    {                                                                                                        \
        .id = "present.backlog." name, .spec = "ring.md 7", .needs = AGPU_NEED_RING,                         \
        .features = AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT, .run = (function)                      \
    }

static const struct agpu_case resource_present_backlog_cases[] = {
    BACKLOG_CASE("doorbell_waits", backlog_doorbell),
    BACKLOG_CASE("quiet", backlog_quiet),
    BACKLOG_CASE("disable_drops_nothing", backlog_disabled),
    BACKLOG_CASE("reset_drops_all", backlog_reset),
};

AGPU_CASE_TABLE(agpu_cases_resource_present_backlog, resource_present_backlog_cases);
