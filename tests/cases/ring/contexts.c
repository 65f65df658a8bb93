/* contexts.c: several drivers on one ring, whose submissions come in turn. A context may have pipeline state of its
 * own, and nothing else (ring.md 3, commands.md 2). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"

#define CONTEXT_ROUNDS 12u
#define CONTEXT_BYTES  64u

static const uint32_t context_ids[] = {1, 2, 0, 255, 256, 0x10001, 0x7FFFFFFF, 0x80000000, UINT32_MAX};
#define CONTEXTS (uint32_t)(sizeof context_ids / sizeof context_ids[0])

/* Posts the rig's stream as a submission of the driver with this number. */
static bool context_post(struct agpu_test *t, uint32_t number)
{
    struct agpu_submission submission;

    if (!agpu_check(t, agpu_rig_finish(&t->env->rig, &submission))) {
        return false;
    }
    submission.context_id = context_ids[number % CONTEXTS];
    agpu_rig_begin(&t->env->rig);
    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* Runs the rig's stream as a submission of that driver, and checks its outcome. */
static bool context_run(struct agpu_test *t, uint32_t number)
{
    const uint32_t errors = agpu_error_count_before(t->env);

    if (!context_post(t, number)) {
        return false;
    }
    agpu_doorbell(&t->env->ring);
    if (!agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence))) {
        return false;
    }
    agpu_rig_begin_over(&t->env->rig);
    return agpu_check_valid_outcome(t, errors);
}

/* Like context_run(), for a submission that must be an error. */
static bool context_run_fault(struct agpu_test *t, uint32_t number)
{
    struct agpu_submission submission;
    struct aerogpu_submit_desc desc;

    if (!agpu_check(t, agpu_rig_finish(&t->env->rig, &submission)) ||
        !agpu_check_ok(t, agpu_ring_describe(&submission, &desc))) {
        return false;
    }
    desc.context_id = context_ids[number % CONTEXTS];
    if (!agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE)) {
        return false;
    }
    agpu_rig_begin_over(&t->env->rig);
    return true;
}

/* Given batches in which each submission is of another context, all of their work must be done, in ring order, with
 * their fences. */
static void contexts_in_turn(struct agpu_test *t)
{
    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t round = 0; round < CONTEXT_ROUNDS; round++) {
        const uint32_t errors = agpu_error_count_before(t->env);

        for (uint32_t i = 0; i < CONTEXTS; i++) {
            agpu_put_proof_memory(t);
            agpu_put_proof(t, i, 1000 * round + i);
            agpu_put_proof(t, CONTEXTS, i); /* the last submission wins */
            agpu_return_unless(context_post(t, round + i));
        }
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
        agpu_return_unless(agpu_check_valid_outcome(t, errors));
        for (uint32_t i = 0; i < CONTEXTS; i++) {
            agpu_return_unless(agpu_check_proof(t, i, 1000 * round + i));
        }
        agpu_return_unless(agpu_check_proof(t, CONTEXTS, CONTEXTS - 1));
        agpu_proof_clear(t);
        agpu_rig_begin_over(&t->env->rig);
    }
}

/* A buffer that one context creates must be the same in every other: there it can be read and destroyed. Its handle is
 * then unknown in all, and free in all. */
static void contexts_share_handles(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t bytes[CONTEXT_BYTES];

    for (uint32_t i = 0; i < CONTEXTS; i++) {
        agpu_fill_origin(bytes, CONTEXT_BYTES, 500 + i, AGPU_FROM_DEVICE);
        agpu_put_create_buffer(r, 100, CONTEXT_BYTES, 0, 0);
        agpu_put_upload(r, 100, 0, bytes, CONTEXT_BYTES);
        agpu_return_unless(context_run(t, i));
        agpu_put_readback(r, 100, 0, CONTEXT_BYTES);
        agpu_return_unless(context_run(t, i + 1));
        agpu_return_unless(agpu_check_readback(t, bytes, CONTEXT_BYTES));
        agpu_put_readback_done(r);
        agpu_put_destroy(r, 100);
        agpu_return_unless(context_run(t, i + 2));
        agpu_put_export(r, 100, AGPU_TOKEN + 100);
        agpu_return_unless(context_run_fault(t, i));
    }
}

/* A token that one context exports must name the texture in every other, until any of them releases it. */
static void contexts_share_tokens(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    for (uint32_t i = 0; i < CONTEXTS; i++) {
        agpu_put_create_texture(r, 200, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 0);
        agpu_put_export(r, 200, AGPU_TOKEN + i);
        agpu_return_unless(context_run(t, i));
        agpu_put_import(r, 201, AGPU_TOKEN + i);
        agpu_return_unless(context_run(t, i + 1));
        agpu_put_release(r, AGPU_TOKEN + i);
        agpu_put_destroy(r, 200);
        agpu_return_unless(context_run(t, i + 2));
        agpu_put_destroy(r, 201);
        agpu_return_unless(context_run(t, i + 3));
        agpu_put_import(r, 201, AGPU_TOKEN + i);
        agpu_return_unless(context_run_fault(t, i));
    }
}

/* Given drivers in turn that set all state, each must draw with the objects of that moment, although the one before has
 * used, destroyed and created them under the same handles. */
static void contexts_draw_in_turn(struct agpu_test *t)
{
    static const uint32_t colors[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t) && agpu_run_clean(t));
    for (uint32_t i = 0; i < 2 * CONTEXTS; i++) {
        const uint32_t texels[4] = {colors[i % 4], colors[i % 4], colors[i % 4], colors[i % 4]};

        agpu_put_targets(r, AGPU_TARGET, 0);
        agpu_put_rasterizer(r);
        agpu_put_blend(r);
        agpu_put_depth_state(r, 0, 0, AEROGPU_COMPARE_ALWAYS);
        agpu_put_viewport(r, &(struct agpu_viewport){0, 0, AGPU_EDGE, AGPU_EDGE, 0, 1});
        agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
        agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
        agpu_put_destroy(r, 30);
        agpu_put_create_texture(r, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 0, 0);
        agpu_put_upload(r, 30, 0, texels, sizeof texels);
        agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 30);
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw(r, 4);
        agpu_return_unless(context_run(t, i));
        agpu_return_unless(agpu_expect_all(t, colors[i % 4], 0));
    }
}

#define CONTEXT_CASE(name, section, function)                                                                \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function),                \
    }

static const struct agpu_case ring_contexts_cases[] = {
    CONTEXT_CASE("ring.contexts.in_turn", "ring.md 3", contexts_in_turn),
    CONTEXT_CASE("ring.contexts.handles", "commands.md 2", contexts_share_handles),
    CONTEXT_CASE("ring.contexts.tokens", "commands.md 12", contexts_share_tokens),
    CONTEXT_CASE("ring.contexts.draws", "commands.md 2", contexts_draw_in_turn),
};

AGPU_CASE_TABLE(agpu_cases_ring_contexts, ring_contexts_cases);
