/* draws.c: the probes that determine what the device draws. */
#include "tests/cases/rig/draws.h"

#include <string.h>

#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/restart.h"

#define EDGE   16u
#define BYTES  (EDGE * EDGE * 4)
#define TARGET 1u
#define RESULT 2u

/* A triangle over the whole target, green. */
static const float corners[3][8] = {
    {-1, 1, 0.5f, 1, 0, 1, 0, 1}, {3, 1, 0.5f, 1, 0, 1, 0, 1}, {-1, -3, 0.5f, 1, 0, 1, 0, 1}};

static void put_surroundings(struct agpu_rig *r)
{
    agpu_put_plain_target(r, TARGET, EDGE);
    agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLELIST);
}

/* Draws in both ways, so that a device on which one of them is broken is found by the cases. */
static void put_draws(struct agpu_rig *r)
{
    static const uint32_t indices[3] = {0, 1, 2};

    agpu_put_filled_buffer(r, 5, indices, sizeof indices);
    agpu_put_index_buffer(r, 5, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw(r, 3);
    agpu_put_draw_indexed(r, 3);
}

static void put_shaders(struct agpu_rig *r, const struct agpu_shader_blob *vs)
{
    agpu_put_shader(r, 10, vs);
    agpu_put_shader(r, 11, &agpu_ps_color_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = 10, .ps = 11});
}

/* Vertices that exist only in the shader. */
static void put_shader_probe(struct agpu_rig *r)
{
    put_shaders(r, &agpu_vs_vertex_id_4_0);
    put_draws(r);
}

/* The triangle of put_shader_probe() as vertex data, which can be drawn without running shaders. */
static void put_triangle_probe(struct agpu_rig *r)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 2, 0, 16, 0}};

    put_shaders(r, &agpu_vs_color_4_0);
    agpu_put_filled_buffer(r, 4, corners, sizeof corners);
    agpu_put_vertex_buffer(r, 0, 4, sizeof corners[0], 0);
    agpu_put_layout(r, 20, elements, 2);
    put_draws(r);
}

/* Returns the device's reaction to a valid draw; AGPU_DRAWS_UNKNOWN if the submission did not complete. */
static enum agpu_draws probe(struct agpu_test *test, void (*put)(struct agpu_rig *rig))
{
    struct agpu_rig *r = agpu_rig_of(test);
    uint32_t before = agpu_error_count(test->env);
    static const uint32_t row[EDGE];
    struct agpu_error_info after;
    struct agpu_submission submission;

    put_surroundings(r);
    put(r);
    for (uint32_t i = 0; i < 2; i++) {
        /* The second attempt uploads a row first: if copies miss what was drawn, this one may not, and the cases will
         * find it. */
        if (i == 1) {
            agpu_put_upload(r, TARGET, 0, row, sizeof row);
        }
        memset(r->memory[i].cpu, 0, BYTES);
        agpu_rig_alloc(r, RESULT + i, &r->memory[i], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_texture(r, RESULT + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, EDGE * 4,
                                RESULT + i);
        agpu_put_dirty(r, RESULT + i, 0, BYTES);
        agpu_put_copy_texture(r, RESULT + i, TARGET, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    if (!agpu_rig_finish(r, &submission) || !agpu_submit_wait(test, &submission)) {
        return AGPU_DRAWS_UNKNOWN;
    }
    after = agpu_error_info(test->env);
    if (after.count != before && after.code == AEROGPU_ERROR_BACKEND) {
        return AGPU_DRAWS_REFUSED;
    }
    for (uint32_t i = 0; i < 2 * EDGE * EDGE; i++) {
        const uint32_t *texels = r->memory[i & 1].cpu;

        if (texels[i / 2] != 0) {
            test->env->draws_shown = true;
            return AGPU_DRAWS;
        }
    }
    /* The cases will find other errors. */
    return after.count != before ? AGPU_DRAWS : AGPU_DRAWS_NOTHING;
}

/* Removes everything that the probe created. */
static bool as_new(struct agpu_test *test)
{
    static const struct agpu_ring_config config;
    struct agpu_env *env = test->env;

    agpu_irq_ack(&env->function, AEROGPU_IRQ_ERROR);
    if (!agpu_setup(test, agpu_ring_restart(env, &config), "the ring restarts after the probe", AGPU_HERE)) {
        return false;
    }
    env->rig.fence = 0;
    for (uint32_t i = 0; i < 2; i++) {
        memset(env->rig.memory[i].cpu, 0, env->rig.memory[i].size);
    }
    agpu_rig_begin_over(&env->rig);
    return true;
}

enum agpu_draws agpu_draws_find(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    enum agpu_draws found = env->draws;
    const unsigned checks = test->checks;

    if (found != AGPU_DRAWS_UNKNOWN) {
        return found;
    }
    found = probe(test, put_shader_probe);
    if (found == AGPU_DRAWS_REFUSED || found == AGPU_DRAWS_NOTHING) {
        if (!as_new(test)) {
            return AGPU_DRAWS_UNKNOWN;
        }
        if (probe(test, put_triangle_probe) == AGPU_DRAWS) {
            found = AGPU_DRAWS_TRIANGLES;
        }
    }
    if (found == AGPU_DRAWS_UNKNOWN) {
        agpu_error(test, "the triangle that shows whether the device draws did not come to an end");
        return found;
    }
    if (as_new(test)) {
        env->draws = found;
    }
    agpu_check_drop(test, checks); /* these checks are not the case's: any case may run the probe */
    return env->draws;
}

/* Fails the case if the device is required to draw like that, otherwise skips it. */
static void refuse_draws(struct agpu_test *test, uint64_t bit, const char *reason)
{
    const struct agpu_requirement *requirement = &test->env->requirement;
    char buffer[sizeof test->reason];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    if ((requirement->required & bit) != 0) {
        test->cause = "draws";
        agpu_requirement_missing(bit, reason, &text);
        agpu_check_true(test, false, buffer, AGPU_HERE);
        return;
    }
    agpu_skip_because(test, (requirement->waived & bit) != 0 ? AGPU_SKIP_NOT_REQUIRED : AGPU_SKIP_NO_DRAWS,
                      reason);
}

static bool draws_nothing(struct agpu_test *test, enum agpu_draws found)
{
    if (found == AGPU_DRAWS_REFUSED) {
        refuse_draws(test, AGPU_REQUIRE_RASTER,
                     "the device cannot draw: ERROR_BACKEND for a triangle that is known to be good (for the "
                     "model: it has no Vulkan driver)");
    }
    if (found == AGPU_DRAWS_NOTHING) {
        refuse_draws(test, AGPU_REQUIRE_RASTER,
                     "the device does not draw: triangles that are known to be good, with and without vertex "
                     "data, left their target unchanged, without error");
    }
    return found == AGPU_DRAWS_REFUSED || found == AGPU_DRAWS_NOTHING;
}

bool agpu_draws_shaders(struct agpu_test *test)
{
    enum agpu_draws found = agpu_draws_find(test);

    if (!draws_nothing(test, found) && found == AGPU_DRAWS_TRIANGLES) {
        refuse_draws(test, AGPU_REQUIRE_SHADERS,
                     "the device does not execute shaders: it draws triangles of vertex data only");
    }
    return found == AGPU_DRAWS;
}

bool agpu_draws_triangles(struct agpu_test *test)
{
    enum agpu_draws found = agpu_draws_find(test);

    return !draws_nothing(test, found) && found != AGPU_DRAWS_UNKNOWN;
}

/* Draws for the verdict of a run whose cases do not draw. */
static void untested_draws(struct agpu_test *test)
{
    const bool readable = (test->env->abi.features & AEROGPU_FEATURE_TRANSFER) != 0;
    const enum agpu_draws answer = readable ? agpu_draws_find(test) : AGPU_DRAWS_NOTHING;
    const enum agpu_draws found =
        answer == AGPU_DRAWS && !test->env->draws_shown ? AGPU_DRAWS_REFUSED : answer;
    const uint64_t bit = found == AGPU_DRAWS_TRIANGLES ? AGPU_REQUIRE_SHADERS : AGPU_REQUIRE_RASTER;
    char buffer[sizeof test->reason];
    struct agpu_text text;

    if (found == AGPU_DRAWS || found == AGPU_DRAWS_UNKNOWN || (test->env->requirement.required & bit) == 0) {
        return;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_requirement_missing(bit,
                             readable ? "and a triangle that is known to be good did not show it"
                                      : "and without TRANSFER nothing that it draws can be read",
                             &text);
    agpu_result_set(test, AGPU_FAIL, buffer);
}

const struct agpu_case *agpu_draws_untested_case(const struct agpu_env *env)
{
    static const struct agpu_case untested = {
        .id = "render.draws.required",
        .spec = "commands.md 14",
        .needs = AGPU_NEED_RING,
        .run = untested_draws,
    };
    const uint64_t required = env->requirement.required;
    const bool enough = env->draws == AGPU_DRAWS ||
                        (env->draws == AGPU_DRAWS_TRIANGLES && (required & AGPU_REQUIRE_SHADERS) == 0);

    return (required & (AGPU_REQUIRE_RASTER | AGPU_REQUIRE_SHADERS)) != 0 && !(enough && env->draws_shown)
               ? &untested
               : NULL;
}
