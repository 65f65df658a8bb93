/* meet.c: pairs of states and changes of a bound target: each is ordinary alone (commands.md 6 to 8, 11). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define GREY AGPU_RGBA(51, 51, 51, 51)

/* Starts with cells of one colour at depth 0.5 over a grey target. */
static bool meet_begin(struct agpu_test *t, float r, float g, float b, float a)
{
    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_put_clear_color(agpu_rig_of(t), 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_scene_cells(t, 0.5f, r, g, b, a);
    return true;
}

struct meet_blend {
    uint32_t enable, color[3], alpha[3], mask;
};

#define ADD         AEROGPU_BLEND_OP_ADD
#define ONE_ZERO    AEROGPU_BLEND_ONE, AEROGPU_BLEND_ZERO
#define ONE_ONE     AEROGPU_BLEND_ONE, AEROGPU_BLEND_ONE
#define OVER        AEROGPU_BLEND_SRC_ALPHA, AEROGPU_BLEND_INV_SRC_ALPHA
#define OVER_ALPHA  AEROGPU_BLEND_ONE, AEROGPU_BLEND_INV_SRC_ALPHA
#define BY_CONSTANT AEROGPU_BLEND_CONSTANT, AEROGPU_BLEND_INV_CONSTANT

/* Colour and alpha, write mask and blending must each have their own effect, also for factors that do nothing. */
static void meet_blending(struct agpu_test *t)
{
    static const struct meet_blend blends[] = {
        {1, {ONE_ZERO, ADD}, {AEROGPU_BLEND_ZERO, AEROGPU_BLEND_ONE, ADD}, 0xF},
        {1, {ONE_ZERO, ADD}, {ONE_ONE, ADD}, 0xF},
        {1, {ONE_ZERO, ADD}, {ONE_ONE, AEROGPU_BLEND_OP_REV_SUBTRACT}, 0xF},
        {1, {ONE_ZERO, ADD}, {ONE_ONE, AEROGPU_BLEND_OP_SUBTRACT}, 0xF},
        {1, {ONE_ONE, ADD}, {ONE_ONE, AEROGPU_BLEND_OP_SUBTRACT}, 0xF},
        {1, {ONE_ONE, AEROGPU_BLEND_OP_SUBTRACT}, {ONE_ONE, AEROGPU_BLEND_OP_SUBTRACT}, 0xF},
        {0, {ONE_ONE, AEROGPU_BLEND_OP_SUBTRACT}, {ONE_ONE, AEROGPU_BLEND_OP_SUBTRACT}, 0xF},
        {1, {ONE_ZERO, ADD}, {ONE_ZERO, ADD}, 0x7},
        {1, {ONE_ZERO, ADD}, {ONE_ZERO, ADD}, 0xE},
        {1, {ONE_ONE, ADD}, {ONE_ZERO, ADD}, 0x8},
        {1, {BY_CONSTANT, ADD}, {ONE_ZERO, ADD}, 0xF},
        {1, {OVER, ADD}, {OVER_ALPHA, ADD}, 0xF},
        {1, {ONE_ONE, ADD}, {ONE_ZERO, ADD}, 0xF},
    };
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"ONE, ZERO; alpha ZERO, ONE", AGPU_RGBA(102, 153, 204, 51)},
        {"alpha ONE, ONE", AGPU_RGBA(102, 153, 204, 204)},
        {"alpha DST - SRC", AGPU_RGBA(102, 153, 204, 0)},
        {"alpha SRC - DST", AGPU_RGBA(102, 153, 204, 102)},
        {"colour ONE, ONE; alpha SRC - DST", AGPU_RGBA(153, 204, 255, 102)},
        {"colour SRC - DST", AGPU_RGBA(51, 102, 153, 102)},
        {"blending off alone", AGPU_RGBA(102, 153, 204, 153)},
        {"blending without alpha in the write mask", AGPU_RGBA(102, 153, 204, 51)},
        {"blending without red in the write mask", AGPU_RGBA(51, 153, 204, 153)},
        {"blending with alpha alone in the write mask", AGPU_RGBA(51, 51, 51, 153)},
        {"colour by a constant, alpha not", AGPU_RGBA(61, 71, 82, 153)},
        {"colour by alpha, alpha by ONE", AGPU_RGBA(82, 112, 143, 173)},
        {"colour ONE, ONE; alpha ONE, ZERO; a scissor", AGPU_RGBA(153, 204, 255, 153)}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(meet_begin(t, 0.4f, 0.6f, 0.8f, 0.6f));
    for (uint32_t i = 0; i < sizeof blends / sizeof blends[0]; i++) {
        struct aerogpu_blend_state *blend = agpu_put_blend(r);

        blend->enable = blends[i].enable;
        blend->src_factor = blends[i].color[0];
        blend->dst_factor = blends[i].color[1];
        blend->blend_op = blends[i].color[2];
        blend->src_factor_alpha = blends[i].alpha[0];
        blend->dst_factor_alpha = blends[i].alpha[1];
        blend->blend_op_alpha = blends[i].alpha[2];
        blend->color_write_mask = (uint8_t)blends[i].mask;
        for (uint32_t k = 0; k < 4; k++) {
            blend->blend_constant_rgba_f32[k] = agpu_float_bits(0.2f);
        }
        if (i == 12) {
            agpu_put_rasterizer(r)->scissor_enable = 1;
            agpu_put_scissor(r, 0, 0, EDGE, EDGE);
        }
        agpu_put_cell(r, i);
    }
    agpu_expect_cells_on(t, expected, GREY, 1);
}

struct meet_depth {
    uint32_t func, write, clip_disable, blend, cull, ccw;
    int32_t bias;
    uint32_t no_depth;
};

/* Depth function and writes, bias and clipping, culling and front face must not change each other's effect. */
static void meet_depth(struct agpu_test *t)
{
    static const struct meet_depth states[AGPU_CELLS] = {
        {AEROGPU_COMPARE_LESS, 1, 0, 0, 0, 0, 0, 0},
        {AEROGPU_COMPARE_LESS, 0, 1, 0, 0, 0, -1000, 0},
        {AEROGPU_COMPARE_LESS, 0, 1, 0, 0, 0, 0, 0},
        {AEROGPU_COMPARE_LESS, 1, 0, 1, 0, 0, 0, 0},
        {AEROGPU_COMPARE_LESS, 0, 0, 1, 0, 0, -1000, 0},
        {AEROGPU_COMPARE_NEVER, 0, 0, 0, 0, 0, 0, 0},
        {AEROGPU_COMPARE_EQUAL, 0, 0, 0, 0, 0, 0, 0},
        {AEROGPU_COMPARE_NOT_EQUAL, 0, 0, 0, 0, 0, 0, 0},
        {AEROGPU_COMPARE_GREATER, 0, 0, 0, 0, 0, 0, 0},
        {AEROGPU_COMPARE_GREATER, 0, 1, 1, 0, 0, 1000, 0},
        {AEROGPU_COMPARE_LESS, 1, 0, 0, 0, 0, 1000, 1},
        {AEROGPU_COMPARE_LESS_EQUAL, 1, 0, 0, AEROGPU_CULL_FRONT, 1, 0, 0},
        {AEROGPU_COMPARE_LESS_EQUAL, 1, 0, 0, AEROGPU_CULL_BACK, 1, 0, 0},
        {AEROGPU_COMPARE_LESS_EQUAL, 1, 0, 0, AEROGPU_CULL_BACK, 0, 0, 0},
        {AEROGPU_COMPARE_LESS, 0, 0, 0, AEROGPU_CULL_BACK, 0, -1000, 0},
        {AEROGPU_COMPARE_LESS, 1, 1, 1, AEROGPU_CULL_FRONT, 1, 0, 1},
    };
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"LESS at the same depth", GREY},
        {"LESS with a bias, without clipping and writes", AGPU_WHITE},
        {"LESS without clipping and writes", GREY},
        {"LESS with blending", GREY},
        {"LESS with a bias, blending, without writes", AGPU_WHITE},
        {"NEVER without writes", GREY},
        {"EQUAL without writes", AGPU_WHITE},
        {"NOT_EQUAL without writes", GREY},
        {"GREATER without writes", GREY},
        {"GREATER with a bias, blending, without clipping and writes", AGPU_WHITE},
        {"a bias without depth target", AGPU_WHITE},
        {"front faces culled, counter-clockwise is front", AGPU_WHITE},
        {"back faces culled, counter-clockwise is front", GREY},
        {"back faces culled, clockwise is front", AGPU_WHITE},
        {"LESS with a bias, back faces culled", AGPU_WHITE},
        {"front faces culled, blending, no clipping, no depth target", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && meet_begin(t, 1, 1, 1, 1));
    agpu_put_target(r, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, 30);
    agpu_put_clear_depth(r, 0.5f, 0);
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        const struct meet_depth *state = &states[i];
        struct aerogpu_blend_state *blend = agpu_put_blend(r);
        struct aerogpu_rasterizer_state *raster = agpu_put_rasterizer(r);

        blend->enable = state->blend;
        blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
        raster->flags = state->clip_disable ? AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE : 0;
        raster->depth_bias = state->bias;
        raster->cull_mode = state->cull;
        raster->front_ccw = state->ccw;
        agpu_put_depth_state(r, 1, state->write, state->func);
        agpu_put_targets(r, AGPU_TARGET, state->no_depth ? 0 : 30);
        agpu_put_cell(r, i);
    }
    agpu_expect_cells_on(t, expected, GREY, 1);
}

/* Given a target that is bound and drawn to, a copy and an upload into it must stay below what is drawn later. */
static void meet_changed_target(struct agpu_test *t)
{
    static const uint32_t green = AGPU_GREEN;
    static const struct agpu_cell expected[AGPU_CELLS] = {{"a texel row of the upload", AGPU_ANY},
                                                          {"drawn after the copy", AGPU_WHITE},
                                                          {"the copy", AGPU_RED},
                                                          {"drawn last", AGPU_WHITE}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_ROW_PARTS) && meet_begin(t, 1, 1, 1, 1));
    agpu_put_target(r, 30, RGBA, EDGE, EDGE);
    agpu_put_targets(r, 30, 0);
    agpu_put_clear_color(r, 1, 0, 0, 1);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_cell(r, 2);
    agpu_put_copy_texture(r, AGPU_TARGET, 30, EDGE, EDGE, 0);
    agpu_put_cell(r, 1);
    agpu_put_upload(r, AGPU_TARGET, 0, &green, 4);
    agpu_put_cell(r, 3);
    agpu_put_upload(r, AGPU_TARGET, 12 * 4, &green, 4);
    agpu_put_cell(r, 3);
    agpu_expect_cells_on(t, expected, AGPU_RED, 0);
}

/* A viewport far beyond the target must have its centre where it says; other devices may make it smaller. */
static void meet_large_viewport(struct agpu_test *t)
{
    static const struct agpu_vertex lower_right[4] = {{0, 0, 0, 1, 1, 1, 1, 1},
                                                      {1, 0, 0, 1, 1, 1, 1, 1},
                                                      {0, -1, 0, 1, 1, 1, 1, 1},
                                                      {1, -1, 0, 1, 1, 1, 1, 1}};
    static const float edges[] = {100, 4100, 8000};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, lower_right, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const float size = 2 * edges[i] + EDGE;
        const struct agpu_viewport viewport = {-edges[i], -edges[i], size, size, 0, 1};
        uint32_t texels[AGPU_IMAGE_TEXELS];

        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_viewport(r, &viewport);
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_scene_read(t, AGPU_TARGET, RGBA, EDGE, EDGE, texels));
        for (uint32_t n = 0; n < EDGE * EDGE; n++) {
            const bool inside = n % EDGE >= EDGE / 2 && n / EDGE >= EDGE / 2;

            if (t->env->model || inside) {
                agpu_return_unless(agpu_check_place2(t, "a texel with a viewport that begins before",
                                                     (uint64_t)edges[i], "number", n, texels[n],
                                                     inside ? UINT32_MAX : 0));
            }
        }
    }
}

/* Given 2,100 draws in one submission, each with other constants than the one before, the last must count. Three
 * colours take turns, so that after 512, 1,024 or 2,048 draws it is another one. (With AddressSanitizer 4,200 take more
 * processor time than our renderer allows, which is below a driver's 2 s for a hang.) */
static void meet_many_constants(struct agpu_test *t)
{
    enum { COLORS = 3, TURNS = 700, APART = 256 };
    static const float colors[COLORS][APART / 4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}};
    struct agpu_rig *r = agpu_rig_of(t);
    const struct aerogpu_cmd_stream_header *once;
    struct aerogpu_cmd_stream_header *all;
    struct agpu_submission submission;
    struct agpu_dma *memory;
    uint32_t bytes;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_filled_buffer(r, 40, colors, sizeof colors);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_begin_over(r);
    for (uint32_t i = 0; i < COLORS; i++) {
        agpu_put_constants(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 40, i * APART, 16);
        agpu_put_draw(r, 3);
    }
    agpu_return_unless(agpu_check(t, agpu_rig_finish(r, &submission)));
    once = agpu_rig_stream_header(r);
    bytes = once->size_bytes - (uint32_t)sizeof *once;
    memory = agpu_rig_more(r, sizeof *all + TURNS * bytes);
    agpu_require_ok(t, memory != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    all = memory->cpu;
    *all = *once;
    all->size_bytes += (TURNS - 1) * bytes;
    for (uint32_t i = 0; i < TURNS; i++) {
        memcpy((uint8_t *)(all + 1) + i * bytes, once + 1, bytes);
    }
    submission.cmd_address = memory->device_address;
    submission.cmd_size = all->size_bytes;
    agpu_return_unless(agpu_submit_wait(t, &submission));
    agpu_rig_begin_over(r);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

static uint32_t color_of_many(uint32_t texture)
{
    return AGPU_RGBA(texture % 256, texture / 256, 7, 255);
}

/* Given 1,100 textures of one colour each, all of which have been drawn, the last and then the first must show its
 * own. */
static void meet_many_textures(struct agpu_test *t)
{
    enum { MANY = 1100, ONCE = 300, FIRST = 1000 };
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t color = color_of_many(i);

        agpu_return_unless(i % ONCE != 0 || agpu_run_clean(t));
        agpu_put_create_texture(r, FIRST + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, FIRST + i, 0, &color, sizeof color);
        agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, FIRST + i);
        agpu_put_draw(r, 4);
    }
    agpu_return_unless(agpu_expect_all(t, color_of_many(MANY - 1), 0));
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, FIRST);
    agpu_put_draw(r, 4);
    agpu_expect_all(t, color_of_many(0), 0);
}

static const struct agpu_case render_meet_cases[] = {
    AGPU_SCENE_CASE("render.meet.blending", "commands.md 8", 0, meet_blending),
    AGPU_SCENE_CASE("render.meet.depth", "commands.md 8", 0, meet_depth),
    AGPU_SCENE_CASE("render.meet.large_viewport", "commands.md 8", 0, meet_large_viewport),
    AGPU_SCENE_CASE("render.meet.changed_target", "commands.md 6.4", 0, meet_changed_target),
    AGPU_SCENE_CASE("render.meet.many_textures", "commands.md 2", 0, meet_many_textures),
    AGPU_SCENE_CASE("render.meet.many_constants", "commands.md 10", 0, meet_many_constants),
};

AGPU_CASE_TABLE(agpu_cases_render_meet, render_meet_cases);
