/* basic.c: draws that work alike on every device that draws, whether it runs shaders or draws vertex data without them
 * (commands.md 8, 14): triangle lists to one target, with no edge through a texel's centre. The bound shaders do the
 * same as a device without shaders. */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define LIST AEROGPU_TOPOLOGY_TRIANGLELIST
#define GREY AGPU_RGBA(51, 51, 51, 51)

static const float basic_white[4] = {1, 1, 1, 1};

/* Returns a triangle of which the target shows a corner. */
static void basic_whole(struct agpu_vertex out[3], float depth, const float color[4])
{
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = (struct agpu_vertex){
            i == 1 ? 3.0f : -1.0f, i == 2 ? -3.0f : 1.0f, depth, 1, color[0], color[1], color[2], color[3]};
    }
}

/* Prepares to draw 3 vertices in one colour over grey. */
static bool begin_whole(struct agpu_test *t, float depth, const float color[4])
{
    struct agpu_vertex vertices[3];

    if (!agpu_scene_begin_triangles(t)) {
        return false;
    }
    agpu_put_clear_color(agpu_rig_of(t), 0.2f, 0.2f, 0.2f, 0.2f);
    basic_whole(vertices, depth, color);
    agpu_scene_color(t, vertices, 3, LIST);
    return true;
}

/* Restricts draws to one cell. */
static void put_window(struct agpu_rig *r, uint32_t cell)
{
    agpu_put_scissor(r, (int32_t)(cell % 4 * 4), (int32_t)(cell / 4 * 4), 4, 4);
}

/* Red grows to the right, green downwards. */
static uint32_t basic_ramp(uint32_t x, uint32_t y)
{
    return AGPU_RGBA((2 * x + 1) * 255 / 64, (2 * y + 1) * 255 / 64, 0, 255);
}

/* A triangle must be drawn in one colour, and with colours interpolated between its vertices. */
static void basic_colors(struct agpu_test *t)
{
    struct agpu_vertex vertices[3];

    agpu_return_unless(begin_whole(t, 0.5f, basic_white));
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    basic_whole(vertices, 0.5f, (const float[4]){0, 0, 0, 1});
    vertices[1].r = vertices[2].g = 1;
    agpu_put_upload(agpu_rig_of(t), AGPU_VERTICES, 0, vertices, sizeof vertices);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, basic_ramp, 1);
}

/* Each cell must be drawn by its own draw: from its first vertex, or by indices of each size with offsets of each
 * kind. */
static void basic_draws(struct agpu_test *t)
{
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"DRAW", AGPU_WHITE},
        {"DRAW from a first vertex", AGPU_WHITE},
        {"32-bit indices", AGPU_WHITE},
        {"32-bit indices from first_index", AGPU_WHITE},
        {"32-bit indices and base_vertex", AGPU_WHITE},
        {"a negative base_vertex", AGPU_WHITE},
        {"16-bit indices at an offset", AGPU_WHITE},
        {"vertices at an offset of the buffer", AGPU_WHITE}};
    static const uint32_t words[18] = {12, 13, 14, 15, 16, 17, 18, 19, 20,
                                       21, 22, 23, 40, 41, 42, 43, 44, 45};
    static const uint16_t halves[8] = {0, 0, 36, 37, 38, 39, 40, 41};
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[6 * 9];

    agpu_return_unless(agpu_scene_begin_triangles(t));
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    for (uint32_t i = 0; i < 9; i++) {
        agpu_scene_cell_list(vertices + 6 * i, i, 0.5f, basic_white, false);
    }
    agpu_scene_color(t, vertices, 6 * 8, LIST);
    agpu_put_filled_buffer(r, 40, words, sizeof words);
    agpu_put_filled_buffer(r, 41, halves, sizeof halves);
    agpu_put_draw(r, 6);
    agpu_put_draw(r, 6)->first_vertex = 6;
    agpu_put_index_buffer(r, 40, AEROGPU_INDEX_FORMAT_UINT32, 0);
    agpu_put_draw_indexed(r, 6);
    agpu_put_draw_indexed(r, 6)->first_index = 6;
    agpu_put_draw_indexed(r, 6)->base_vertex = 12;
    {
        struct aerogpu_cmd_draw_indexed *draw = agpu_put_draw_indexed(r, 6);

        draw->first_index = 12;
        draw->base_vertex = -10;
    }
    agpu_put_index_buffer(r, 41, AEROGPU_INDEX_FORMAT_UINT16, 4);
    agpu_put_draw_indexed(r, 6);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, sizeof vertices[0], 42 * sizeof vertices[0]);
    agpu_put_draw(r, 6);
    agpu_expect_cells_on(t, expected, GREY, 0);
}

/* Triangles must be culled by their winding, as cull mode and front face say. */
static void basic_culling(struct agpu_test *t)
{
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[6 * AGPU_CELLS];

    agpu_return_unless(agpu_scene_begin_triangles(t));
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        agpu_scene_cell_list(vertices + 6 * i, i, 0.5f, basic_white, i & 1);
    }
    agpu_scene_color(t, vertices, 6 * AGPU_CELLS, LIST);
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        uint32_t cull = i / 4 % 3, ccw = i / 2 & 1;
        struct aerogpu_rasterizer_state *state = agpu_put_rasterizer(r);
        bool front = (i & 1) == ccw;

        state->cull_mode = cull;
        state->front_ccw = ccw;
        agpu_put_draw(r, 6)->first_vertex = 6 * i;
        expected[i].what = front ? "a front face" : "a back face";
        expected[i].color = cull == (front ? AEROGPU_CULL_FRONT : AEROGPU_CULL_BACK) ? GREY : AGPU_WHITE;
    }
    agpu_expect_cells(t, expected, 0);
}

static uint32_t basic_inner(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 10 && y >= 2 && y < 7 ? AGPU_WHITE : GREY;
}

/* Scissor and viewport must restrict a draw to their texels. */
static void basic_windows(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_whole(t, 0.5f, basic_white));
    agpu_put_rasterizer(r)->scissor_enable = 1;
    agpu_put_scissor(r, 4, 2, 6, 5);
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect(t, basic_inner, 0));
    agpu_put_rasterizer(r);
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_put_viewport(r, &(struct agpu_viewport){4, 2, 6, 5, 0, 1});
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect(t, basic_inner, 0));
    agpu_put_viewport(r, &(struct agpu_viewport){0, 0, (float)EDGE, (float)EDGE, 0, 1});
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Depths below, at and above the stored one must pass as each function says: cell 3 f + k. */
static void basic_depth(struct agpu_test *t)
{
    static const uint32_t formats[] = {AEROGPU_FORMAT_D32_FLOAT, AEROGPU_FORMAT_D24_UNORM_S8_UINT};
    static const float depths[3] = {0.25f, 0.5f, 0.75f};
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH | AGPU_ASKS_CLEAR_ALL) &&
                       begin_whole(t, 0.5f, basic_white));
    for (uint32_t k = 0; k < 3; k++) {
        struct agpu_vertex vertices[3];

        basic_whole(vertices, depths[k], basic_white);
        agpu_put_filled_buffer(r, 40 + k, vertices, sizeof vertices);
    }
    agpu_put_rasterizer(r)->scissor_enable = 1;
    for (uint32_t i = 0; i < 4; i++) { /* two formats, functions 0 to 3 and 4 to 7: NEVER .. ALWAYS by bits */
        uint32_t depth = 50 + i;

        for (uint32_t c = 0; c < AGPU_CELLS; c++) {
            expected[c] = (struct agpu_cell){"nothing", GREY};
        }
        agpu_put_target(r, depth, formats[i / 2], EDGE, EDGE);
        agpu_put_targets(r, AGPU_TARGET, depth);
        agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
        agpu_put_clear_depth(r, 0.5f, 0);
        for (uint32_t f = 0; f < 4; f++) {
            uint32_t func = i % 2 * 4 + f;

            agpu_put_depth_state(r, 1, 0, func);
            for (uint32_t k = 0; k < 3; k++) {
                agpu_put_vertex_buffer(r, 0, 40 + k, sizeof(struct agpu_vertex), 0);
                put_window(r, 4 * f + k);
                agpu_put_draw(r, 3);
                expected[4 * f + k] = (struct agpu_cell){k == 0   ? "something nearer"
                                                         : k == 1 ? "something at the stored depth"
                                                                  : "something farther",
                                                         func >> k & 1 ? AGPU_WHITE : GREY};
            }
        }
        agpu_return_unless(agpu_expect_cells(t, expected, 0));
    }
    /* A depth that passes is written if that is enabled, and hides the next draw. */
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_put_scissor(r, 0, 0, EDGE, EDGE);
    agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_LESS);
    agpu_put_vertex_buffer(r, 0, 40, sizeof(struct agpu_vertex), 0);
    agpu_put_blend(r)->color_write_mask = 0;
    agpu_put_draw(r, 3);
    agpu_put_blend(r);
    agpu_put_vertex_buffer(r, 0, 41, sizeof(struct agpu_vertex), 0);
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect_all(t, GREY, 0));
    agpu_put_depth_state(r, 0, 0, AEROGPU_COMPARE_NEVER);
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Blend factors of source and destination, then operations, must give the computed colours. Windows of one triangle
 * draw each texel once. Source 0.4 0.2 0.6 alpha 0.8, target 0.2 alpha 0.2. */
static void basic_blending(struct agpu_test *t)
{
    static const float source[4] = {0.4f, 0.2f, 0.6f, 0.8f};
    static const struct {
        uint32_t src, dst, op, color;
    } rows[] = {
        {AEROGPU_BLEND_ONE, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(102, 51, 153, 204)},
        {AEROGPU_BLEND_ONE, AEROGPU_BLEND_ONE, 0, AGPU_RGBA(153, 102, 204, 255)},
        {AEROGPU_BLEND_SRC_ALPHA, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(82, 41, 122, 163)},
        {AEROGPU_BLEND_INV_SRC_ALPHA, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(20, 10, 31, 41)},
        {AEROGPU_BLEND_DEST_ALPHA, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(20, 10, 31, 41)},
        {AEROGPU_BLEND_INV_DEST_ALPHA, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(82, 41, 122, 163)},
        {AEROGPU_BLEND_CONSTANT, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(20, 20, 92, 163)},
        {AEROGPU_BLEND_INV_CONSTANT, AEROGPU_BLEND_ZERO, 0, AGPU_RGBA(82, 31, 61, 41)},
        {AEROGPU_BLEND_ZERO, AEROGPU_BLEND_SRC_ALPHA, 0, AGPU_RGBA(41, 41, 41, 41)},
        {AEROGPU_BLEND_ZERO, AEROGPU_BLEND_INV_SRC_ALPHA, 0, AGPU_RGBA(10, 10, 10, 10)},
        {AEROGPU_BLEND_ZERO, AEROGPU_BLEND_ONE, 0, GREY},
        {AEROGPU_BLEND_ONE, AEROGPU_BLEND_ONE, AEROGPU_BLEND_OP_SUBTRACT, AGPU_RGBA(51, 0, 102, 153)},
        {AEROGPU_BLEND_SRC_ALPHA, AEROGPU_BLEND_ONE, AEROGPU_BLEND_OP_REV_SUBTRACT, AGPU_RGBA(0, 10, 0, 0)},
        {AEROGPU_BLEND_ONE, AEROGPU_BLEND_ONE, AEROGPU_BLEND_OP_MIN, AGPU_RGBA(51, 51, 51, 51)},
        {AEROGPU_BLEND_ONE, AEROGPU_BLEND_ONE, AEROGPU_BLEND_OP_MAX, AGPU_RGBA(102, 51, 153, 204)},
        {AEROGPU_BLEND_SRC_ALPHA, AEROGPU_BLEND_INV_SRC_ALPHA, 0, AGPU_RGBA(92, 51, 133, 173)}};
    static const float constant[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_whole(t, 0.5f, source));
    agpu_put_rasterizer(r)->scissor_enable = 1;
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        struct aerogpu_blend_state *blend = agpu_put_blend(r);

        blend->enable = 1;
        blend->src_factor = blend->src_factor_alpha = rows[i].src;
        blend->dst_factor = blend->dst_factor_alpha = rows[i].dst;
        blend->blend_op = blend->blend_op_alpha = rows[i].op;
        for (uint32_t k = 0; k < 4; k++) {
            blend->blend_constant_rgba_f32[k] = agpu_float_bits(constant[k]);
        }
        put_window(r, i);
        agpu_put_draw(r, 3);
        expected[i] = (struct agpu_cell){"source and target as blended", rows[i].color};
    }
    agpu_expect_cells(t, expected, 1);
}

/* Each colour write mask must let through its channels only. */
static void basic_masks(struct agpu_test *t)
{
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_whole(t, 0.5f, basic_white));
    agpu_put_rasterizer(r)->scissor_enable = 1;
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        agpu_put_blend(r)->color_write_mask = (uint8_t)i;
        put_window(r, i);
        agpu_put_draw(r, 3);
        expected[i] = (struct agpu_cell){
            "the channels of its write mask",
            AGPU_RGBA(i & 1 ? 255 : 51, i & 2 ? 255 : 51, i & 4 ? 255 : 51, i & 8 ? 255 : 51)};
    }
    agpu_expect_cells(t, expected, 0);
}

/* A texel of 2x2 for each quarter, through slot 0, nearest. */
static uint32_t basic_quarters(uint32_t x, uint32_t y)
{
    static const uint32_t four[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};

    return four[x / 8 + y / 8 * 2];
}

/* A texture must be sampled by a draw, each quarter from its texel. */
static void basic_texture(struct agpu_test *t)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_TEXCOORD, 0, 16, 0, 16, 0}};
    static const float vertices[3][6] = {
        {-1, 1, 0.5f, 1, 0, 0}, {3, 1, 0.5f, 1, 2, 0}, {-1, -3, 0.5f, 1, 0, 2}};
    static const uint32_t four[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin_triangles(t));
    agpu_scene_shaders(t, &agpu_vs_textured_4_0, &agpu_ps_textured_4_0);
    agpu_put_filled_buffer(r, 40, vertices, sizeof vertices);
    agpu_put_vertex_buffer(r, 0, 40, sizeof vertices[0], 0);
    agpu_put_layout(r, AGPU_LAYOUT, elements, 2);
    agpu_put_topology(r, LIST);
    agpu_put_create_texture(r, 30, RGBA, 2, 2, 0, 0);
    agpu_put_upload(r, 30, 0, four, sizeof four);
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 30);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_put_draw(r, 3);
    agpu_expect(t, basic_quarters, 0);
}

/* A draw to each format of 32 bits must store the colour; sRGB is encoded, X is FF. */
static void basic_formats(struct agpu_test *t)
{
    static const uint32_t formats[] = {1, 2, 3, 4, 7, 8, 9, 10};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(begin_whole(t, 0.5f, (const float[4]){0.5f, 0.25f, 1, 0.5f}));
    for (uint32_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        uint32_t alpha = formats[i] & 1 ? 128 : 255;

        agpu_part(t, "format %s", agpu_texel_name(formats[i]));
        agpu_put_target(r, 100 + i, formats[i], EDGE, EDGE);
        agpu_put_targets(r, 100 + i, 0);
        agpu_put_clear_color(r, 0, 0, 0, 0);
        agpu_put_draw(r, 3);
        agpu_return_unless(agpu_expect_target_all(
            t, 100 + i, formats[i],
            formats[i] < 7 ? AGPU_RGBA(128, 64, 255, alpha) : AGPU_RGBA(188, 137, 255, alpha), 1));
    }
}

static const struct agpu_case render_basic_cases[] = {
    AGPU_SCENE_CASE("render.basic.colours", "commands.md 14", 0, basic_colors),
    AGPU_SCENE_CASE("render.basic.draws", "commands.md 14", 0, basic_draws),
    AGPU_SCENE_CASE("render.basic.culling", "commands.md 14", 0, basic_culling),
    AGPU_SCENE_CASE("render.basic.windows", "commands.md 14", 0, basic_windows),
    AGPU_SCENE_CASE("render.basic.depth", "commands.md 14", 0, basic_depth),
    AGPU_SCENE_CASE("render.basic.blending", "commands.md 14", 0, basic_blending),
    AGPU_SCENE_CASE("render.basic.write_masks", "commands.md 14", 0, basic_masks),
    AGPU_SCENE_CASE("render.basic.texture", "commands.md 14", 0, basic_texture),
    AGPU_SCENE_CASE("render.basic.formats", "commands.md 14", 0, basic_formats),
};

AGPU_CASE_TABLE(agpu_cases_render_basic, render_basic_cases);
