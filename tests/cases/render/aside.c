/* aside.c: between equal draws, other state is set and restored, or other objects are changed: the later draws, whose
 * own state is not set again, must not show it (commands.md 2, 8 to 11). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/scene.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define D32  AEROGPU_FORMAT_D32_FLOAT
#define PS   AEROGPU_SHADER_STAGE_PIXEL
#define VS   AEROGPU_SHADER_STAGE_VERTEX

enum aside_look { LOOK_VERTICES, LOOK_TEXTURE, LOOK_REGISTERS };

enum {
    DEPTH = 29,
    OTHER_TARGET = 30,
    OTHER_DEPTH,
    TEXTURE,
    OTHER_TEXTURE,
    COLORS,
    OTHER_BUFFER,
    OTHER_INDICES,
    OTHER_VS = 40,
    OTHER_PS,
    OTHER_LAYOUT,
    ASIDE_SAMPLER,
    OTHER_SAMPLER,
    FRESH,
};

static void put_aside_targets(struct agpu_rig *r, bool other)
{
    agpu_put_targets(r, other ? OTHER_TARGET : AGPU_TARGET, other ? OTHER_DEPTH : DEPTH);
}

static void put_aside_shaders(struct agpu_rig *r, bool other)
{
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = other ? OTHER_VS : AGPU_VS,
                                                   .ps = other ? OTHER_PS : AGPU_PS,
                                                   .cs = AGPU_CS});
}

/* Sets a blend of half of the source and nothing of the target; alpha is not written. */
static void put_aside_blend(struct agpu_rig *r, bool other)
{
    struct aerogpu_blend_state *blend = agpu_put_blend(r);

    blend->enable = !other;
    blend->src_factor = blend->src_factor_alpha = other ? AEROGPU_BLEND_ZERO : AEROGPU_BLEND_CONSTANT;
    blend->color_write_mask = other ? 15 : 7;
    blend->sample_mask = other ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < 4; i++) {
        blend->blend_constant_rgba_f32[i] = agpu_float_bits(other ? 0.1f : 0.6f);
    }
}

static void put_aside_rasterizer(struct agpu_rig *r, bool other)
{
    struct aerogpu_rasterizer_state *state = agpu_put_rasterizer(r);

    state->cull_mode = other ? AEROGPU_CULL_FRONT : AEROGPU_CULL_BACK;
    state->scissor_enable = !other;
    state->depth_bias = other ? 1 << 20 : 0;
}

/* Sets all state that the draws depend on, once. */
static bool begin_aside(struct agpu_test *t, enum aside_look look)
{
    static const uint32_t four[4] = {AGPU_RED, AGPU_WHITE, AGPU_WHITE, AGPU_WHITE}, white = AGPU_WHITE;
    static const uint16_t indices[] = {9, 9, 0, 1, 2, 3};
    static const float ones[4] = {1, 1, 1, 1}, grey[4] = {0.3f, 0.3f, 0.3f, 0.3f};
    const struct agpu_element plain[] = {{AGPU_POSITION, 0, 2, 0, 0, 0}, {AGPU_COLOR, 0, 2, 1, 16, 0}};
    const struct agpu_element other[] = {{AGPU_POSITION, 0, 2, 7, 0, 0}, {AGPU_COLOR, 0, 2, 7, 0, 0}};
    static const float both[8] = {9, 9, 9, 9, 1, 1, 1, 1};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_create_sampler *sampler;

    if (!agpu_scene_begin(t)) {
        return false;
    }
    if (look == LOOK_TEXTURE) {
        agpu_scene_textured(t, &agpu_ps_textured_4_0, 0.2f); /* inside the first texel, or in the next */
        agpu_put_create_texture(r, TEXTURE, RGBA, 2, 2, 0, 0);
        agpu_put_upload(r, TEXTURE, 0, (const uint32_t[4]){AGPU_WHITE, AGPU_RED, AGPU_RED, AGPU_RED}, 16);
        agpu_put_texture_slot(r, PS, 0, TEXTURE);
    } else {
        agpu_scene_solid(t, 0.5f, 0, 0, 0, 0);
        agpu_put_filled_buffer(r, COLORS, both, sizeof both);
        agpu_put_vertex_buffer(r, 1, COLORS, 0, 0);
        agpu_put_layout(r, 28, plain, 2);
    }
    agpu_put_filled_buffer(r, AGPU_INDICES, indices, sizeof indices);
    agpu_put_filled_buffer(r, OTHER_INDICES, four, sizeof four);
    agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 4);
    agpu_put_filled_buffer(r, OTHER_BUFFER, grey, sizeof grey);
    agpu_put_create_texture(r, OTHER_TEXTURE, RGBA, 1, 1, 0, 0);
    agpu_put_upload(r, OTHER_TEXTURE, 0, &white, sizeof white);
    agpu_put_layout_alone(r, OTHER_LAYOUT, other, 2);
    agpu_put_shader(r, OTHER_VS, &agpu_vs_vertex_id_4_0);
    agpu_put_shader(r, OTHER_PS, &agpu_ps_load_4_0);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_5_0);
    for (uint32_t i = 0; i < 2; i++) {
        sampler = agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *sampler);
        sampler->sampler_handle = ASIDE_SAMPLER + i;
        sampler->filter = i;
    }
    agpu_put_sampler_slot(r, PS, 0, ASIDE_SAMPLER);
    agpu_put_registers(r, PS, 0, 0, 1, ones);
    agpu_put_target(r, DEPTH, D32, AGPU_EDGE, AGPU_EDGE);
    agpu_put_target(r, OTHER_TARGET, RGBA, 4, 4);
    agpu_put_target(r, OTHER_DEPTH, D32, 4, 4);
    put_aside_targets(r, false);
    agpu_put_clear_depth(r, 0.51f, 0); /* just behind the drawn depth: a depth bias would hide it */
    agpu_put_depth_state(r, 1, 0, AEROGPU_COMPARE_LESS);
    put_aside_blend(r, false);
    put_aside_rasterizer(r, false);
    agpu_put_scissor(r, 0, 0, 15, 16);
    put_aside_shaders(r, false);
    return true;
}

static void put_aside(struct agpu_rig *r, uint32_t kind, enum aside_look look)
{
    static const float grey[4] = {0.3f, 0.3f, 0.3f, 0.3f};
    const uint32_t layout = look == LOOK_TEXTURE ? AGPU_LAYOUT : 28;

    switch (kind) {
    case 1:
        put_aside_targets(r, true);
        put_aside_targets(r, false);
        break;
    case 2:
        put_aside_shaders(r, true);
        put_aside_shaders(r, false);
        break;
    case 3:
        agpu_put_set_layout(r, OTHER_LAYOUT);
        agpu_put_set_layout(r, layout);
        break;
    case 4:
        agpu_put_vertex_buffer(r, 7, OTHER_BUFFER, 4, 0);
        agpu_put_vertex_buffer(r, 31, OTHER_BUFFER, 4, 4);
        break;
    case 5:
        agpu_put_index_buffer(r, OTHER_INDICES, AEROGPU_INDEX_FORMAT_UINT32, 0);
        agpu_put_index_buffer(r, AGPU_INDICES, AEROGPU_INDEX_FORMAT_UINT16, 4);
        break;
    case 6:
        agpu_put_topology(r, AEROGPU_TOPOLOGY_POINTLIST);
        agpu_put_topology(r, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
        break;
    case 7:
        put_aside_blend(r, true);
        put_aside_blend(r, false);
        break;
    case 8:
        agpu_put_depth_state(r, 0, 1, AEROGPU_COMPARE_NEVER);
        agpu_put_depth_state(r, 1, 0, AEROGPU_COMPARE_LESS);
        break;
    case 9:
        put_aside_rasterizer(r, true);
        put_aside_rasterizer(r, false);
        break;
    case 10:
        agpu_put_scissor(r, 3, 3, 1, 1);
        agpu_put_scissor(r, 0, 0, 15, 16);
        break;
    case 11:
        agpu_put_texture_slot(r, PS, 5, OTHER_TEXTURE);
        agpu_put_texture_slot(r, VS, 0, OTHER_TEXTURE);
        agpu_put_sampler_slot(r, PS, 1, OTHER_SAMPLER);
        agpu_put_sampler_slot(r, VS, 0, OTHER_SAMPLER);
        break;
    case 12:
        agpu_put_constants(r, PS, 1, OTHER_BUFFER, 0, 0);
        agpu_put_constants(r, VS, 0, OTHER_BUFFER, 0, 0);
        agpu_put_registers(r, PS, 0, 1, 1, grey);
        agpu_put_registers(r, VS, 0, 0, 1, grey);
        agpu_put_constants(r, VS, 0, 0, 0, 0);
        break;
    case 13:
        put_aside_targets(r, true);
        agpu_put_clear_color(r, 0, 1, 0, 1);
        agpu_put_clear_depth(r, 0, 0);
        put_aside_targets(r, false);
        break;
    case 14:
        agpu_put_uav(r, 0, OTHER_INDICES, 0, 0);
        agpu_put_dispatch(r, 1, 1, 1);
        agpu_put_uav(r, 0, 0, 0, 0);
        break;
    case 15:
        agpu_put_filled_buffer(r, FRESH, grey, sizeof grey);
        agpu_put_copy_buffer(r, OTHER_BUFFER, 0, FRESH, 0, sizeof grey, AEROGPU_COPY_FLAG_NONE);
        agpu_put_destroy(r, FRESH);
        agpu_put_copy_texture(r, OTHER_TARGET, OTHER_TEXTURE, 1, 1, AEROGPU_COPY_FLAG_NONE);
        agpu_rig_packet(r, AEROGPU_CMD_PRESENT, sizeof(struct aerogpu_cmd_present));
        agpu_rig_packet(r, AEROGPU_CMD_FLUSH, sizeof(struct aerogpu_cmd_flush));
        break;
    default:
        break;
    }
}

/* Three fifths of white, without alpha; nothing in the last column, which the scissor excludes. */
static uint32_t aside_image(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 15 ? AGPU_RGBA(153, 153, 153, 0) : AGPU_NOTHING;
}

/* Given equal draws with other state set and restored, or other objects changed, between them, every draw must look the
 * same. */
static void things_aside(struct agpu_test *t)
{
    const enum aside_look look = *(const enum aside_look *)t->test_case->arg;
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_aside(t, look));
    if (look == LOOK_REGISTERS) { /* the handle that is restored */
        agpu_put_shader(r, AGPU_PS, &agpu_ps_constant_4_0);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t cell = 0; cell < AGPU_CELLS; cell++) {
        agpu_put_viewport(r,
                          &(struct agpu_viewport){(float)(cell % 4 * 4), (float)(cell / 4 * 4), 4, 4, 0, 1});
        put_aside(r, cell, look);
        agpu_put_draw_indexed(r, 4);
    }
    agpu_expect(t, aside_image, 0);
}

static const uint32_t aside_contexts[] = {1, 0, 7, 256, 0x80000000, UINT32_MAX, 1};

/* Draws in context 0 after a submission of another context; a wrong image is reported with that context. */
static bool expect_behind(struct agpu_test *t, uint32_t context)
{
    if (agpu_expect(t, aside_image, 0)) {
        return true;
    }
    agpu_check_place(t, "wrong images after a submission of context", context, 1, 0);
    return false;
}

/* Another device may keep separate state per context_id (ring.md 3); its draws in a new context may fail. The state of
 * context 0 must not change. */
static void others_contexts_aside(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t texels[AGPU_IMAGE_TEXELS];
    bool refused = false, shared = true;

    for (uint32_t i = 0; i < sizeof aside_contexts / sizeof aside_contexts[0]; i++) {
        struct agpu_submission submission;
        bool failed;

        agpu_put_clear_color(r, 0, 0, 0, 0); /* in context 0 */
        agpu_return_unless(agpu_run_clean(t));
        agpu_put_draw_indexed(r, 4);
        agpu_assert(t, agpu_rig_finish(r, &submission));
        submission.context_id = aside_contexts[i];
        agpu_return_unless(agpu_wait_either(t, &submission, AEROGPU_ERROR_CMD_DECODE, &failed));
        agpu_return_unless(agpu_check(t, !failed || aside_contexts[i] != 0));
        agpu_rig_begin_over(r);
        refused = refused || failed;
        agpu_return_unless(agpu_scene_read(t, AGPU_TARGET, RGBA, AGPU_EDGE, AGPU_EDGE, texels));
        shared = shared && texels[0] == aside_image(0, 0);
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw_indexed(r, 4);
        agpu_return_unless(expect_behind(t, aside_contexts[i]));
    }
    agpu_choice(t, "other_contexts",
                refused  ? "refused"
                : shared ? "draw with the state of context 0"
                         : "have a state of their own");
}

/* The state must be common to every context_id (commands.md 2): a submission of another context keeps it. */
static void contexts_aside(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_aside(t, LOOK_VERTICES) && agpu_run_clean(t));
    if (!t->env->model) {
        others_contexts_aside(t);
        return;
    }
    for (uint32_t i = 0; i < sizeof aside_contexts / sizeof aside_contexts[0]; i++) {
        struct agpu_submission submission;

        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw_indexed(r, 4);
        agpu_assert(t, agpu_rig_finish(r, &submission));
        submission.context_id = aside_contexts[i];
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_rig_begin_over(r);
        agpu_return_unless(expect_behind(t, aside_contexts[i]));
    }
}

#define ASIDE_CASE(name, look)                                                                               \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 2", .needs = AGPU_NEED_RING,                                      \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = things_aside,              \
        .arg = &(const enum aside_look){look},                                                               \
    }

static const struct agpu_case render_aside_cases[] = {
    ASIDE_CASE("render.aside.vertices", LOOK_VERTICES),
    ASIDE_CASE("render.aside.texture", LOOK_TEXTURE),
    ASIDE_CASE("render.aside.registers", LOOK_REGISTERS),
    AGPU_SCENE_CASE("render.aside.contexts", "commands.md 2", 0, contexts_aside),
};

AGPU_CASE_TABLE(agpu_cases_render_aside, render_aside_cases);
