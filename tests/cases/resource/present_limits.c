/* present_limits.c: flagged presents to scanouts at the limits of valid sizes, and in submissions of every kind
 * (device.md 4.8, commands.md 11). */
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/framebuffer.h"
#include "tests/cases/rig/pipeline_packets.h"

/* Flagged presents must show scanouts at the limits: exactly 64 MiB, very wide ones, and rows of 16-bit texels whose
 * pitch is no whole number of words. */
static void limits_shown(struct agpu_test *t)
{
    static const struct {
        uint32_t format, width, height, pitch;
    } shapes[] = {
        {AEROGPU_FORMAT_B5G6R5_UNORM, 5, 4, 10},
        {AEROGPU_FORMAT_B5G5R5A1_UNORM, 7, 3, 30},
        {AEROGPU_FORMAT_B8G8R8A8_UNORM, 4096, 4096, 16384},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM, 16384, 1024, 65536},
        {AEROGPU_FORMAT_B8G8R8A8_UNORM, 20000, 100, 80000},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM, 1, 1 << 24, 4},
        {AEROGPU_FORMAT_B5G6R5_UNORM, 8192, 2048, 16384},
    };
    struct agpu_screen before = agpu_screen_plain;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;
    struct agpu_error_info errors;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const bool small = shapes[i].height <= 12;
        const struct agpu_screen screen = {shapes[i].format, shapes[i].width, shapes[i].height,
                                           shapes[i].pitch, 0};
        /* Large shapes are shown in one row or in one column of a few texels. */
        const struct agpu_screen_source image = {shapes[i].format,
                                                 shapes[i].width < 16 ? shapes[i].width : 16,
                                                 small                  ? shapes[i].height
                                                 : shapes[i].width < 16 ? 16
                                                                        : 1};

        agpu_return_unless(
            agpu_screen_show_next(t, &before, &screen, &image, 200 + i, "present to a scanout at a limit"));
        before = screen;
    }
    if (!t->env->model || !agpu_screen_writes) {
        return; /* known devices do not check the size here (device.md 4.8) */
    }
    /* The limit counts four bytes per texel in every format. */
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 2049);
    agpu_screen_poison(t);
    agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 220), 0);
    agpu_put_screen_present(rig, false, 0, 0);
    errors = agpu_errors_so_far(t->env);
    agpu_return_unless(agpu_check(t, agpu_rig_finish(rig, &submission)));
    submission.flags = AEROGPU_SUBMIT_FLAG_PRESENT;
    agpu_return_unless(agpu_submit_wait(t, &submission));
    agpu_rig_begin_over(rig);
    agpu_return_unless(agpu_check_error(t, &errors, submission.fence, AEROGPU_ERROR_BACKEND));
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    agpu_screen_check(t, &before, "a present to a scanout of more than 64 MiB");
}

/* A flagged present must write whatever its submission is otherwise: without a fence, with a completed one, without
 * interrupt, with unknown flags. */
static void submissions_shown(struct agpu_test *t)
{
    static const uint32_t flags[] = {0, 0, AEROGPU_SUBMIT_FLAG_NO_IRQ, 0xFFFFFFFC};
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct agpu_submission submission;

        agpu_screen_poison(t);
        agpu_put_targets(rig, agpu_put_screen_source(rig, &agpu_screen_source_plain, 130 + i), 0);
        agpu_put_screen_present(rig, false, 0, 0);
        agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
        agpu_return_unless(agpu_check(t, agpu_rig_finish(rig, &submission)));
        submission.flags = AEROGPU_SUBMIT_FLAG_PRESENT | flags[i];
        submission.fence = i == 0 ? 0 : i == 1 ? 1 : submission.fence;
        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        agpu_rig_begin(rig);
        agpu_return_unless(agpu_run_empty(t)); /* its fence comes after all that */
        agpu_rig_begin_over(rig);
        agpu_return_unless(agpu_screen_check(t, &agpu_screen_plain, "present of a submission of each kind"));
    }
    agpu_check_no_errors_counted(t);
}

#define LIMITS_CASE(name, section, function)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,         \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_present_limits_cases[] = {
    LIMITS_CASE("present.screen.limits", "device.md 4.8", limits_shown),
    LIMITS_CASE("present.screen.submissions", "commands.md 11", submissions_shown),
};

AGPU_CASE_TABLE(agpu_cases_resource_present_limits, resource_present_limits_cases);
