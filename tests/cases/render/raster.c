/* raster.c: culling, viewport, scissor, depth clip, depth bias, wireframe (commands.md 8, 15). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE

/* The white quad as a strip is clockwise with y down. */
static bool begin_white(struct agpu_test *t)
{
    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    return true;
}

static void draw_culled(struct agpu_test *t, uint32_t cull, uint32_t front_ccw)
{
    struct aerogpu_rasterizer_state *state = agpu_put_rasterizer(agpu_rig_of(t));

    state->cull_mode = cull;
    state->front_ccw = front_ccw;
    agpu_put_draw(agpu_rig_of(t), 4);
}

/* Triangles that face the culled way must draw nothing, with either winding as front. */
static void cull_removes(struct agpu_test *t)
{
    agpu_return_unless(begin_white(t));
    draw_culled(t, AEROGPU_CULL_FRONT, 0);
    draw_culled(t, AEROGPU_CULL_BACK, 1);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* Triangles that face the other way than the culled one must be drawn, with either winding as front. */
static void cull_keeps(struct agpu_test *t)
{
    agpu_return_unless(begin_white(t));
    draw_culled(t, AEROGPU_CULL_BACK, 0);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    draw_culled(t, AEROGPU_CULL_FRONT, 1);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

static uint32_t raster_inner(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 10 && y >= 2 && y < 7 ? AGPU_WHITE : AGPU_NOTHING;
}

/* Given a viewport of 6 by 5 texels, a quad over the whole clip space must cover exactly these. */
static void raster_viewport(struct agpu_test *t)
{
    agpu_return_unless(begin_white(t));
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){4, 2, 6, 5, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, raster_inner, 0);
}

static uint32_t between_texels(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 11 && y >= 2 && y < 8 ? AGPU_WHITE : AGPU_NOTHING;
}

/* Given a viewport with edges between texels, the draw must cover the texels whose centres are inside. */
static void viewport_between(struct agpu_test *t)
{
    agpu_return_unless(begin_white(t));
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){4, 2, 6.75f, 5.75f, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect(t, between_texels, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){3.75f, 1.75f, 7, 6, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, between_texels, 0);
}

static uint32_t texels[AGPU_IMAGE_TEXELS];

/* Red grows over the viewport, of which the target shows the middle. */
static uint32_t clipped_gradient(uint32_t x, uint32_t y)
{
    (void)y;
    return AGPU_RGBA((2 * x + 1 + 16) * 255 / 64, 0, 0, 255);
}

static uint32_t whole_gradient(uint32_t x, uint32_t y)
{
    (void)y;
    return AGPU_RGBA((2 * x + 1) * 255 / 32, 0, 0, 255);
}

/* Given a viewport larger than the target, the device must clip the picture (known devices make the viewport smaller
 * instead). */
static void viewport_clipped(struct agpu_test *t)
{
    struct agpu_vertex quad[4];
    bool rescaled;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 0, 0, 0, 1);
    quad[1].r = quad[3].r = 1;
    agpu_scene_color(t, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){-8, -8, 32, 32, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_scene_read(t, AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, texels));
    /* Known devices make the viewport smaller instead (commands.md 8): then red grows from edge to edge. */
    rescaled = !t->env->model && (texels[0] & 255) < 32;
    agpu_expect(t, rescaled ? whole_gradient : clipped_gradient, 1);
}

/* Given a viewport that is empty, negative or not finite, the draw must cover the whole target, as without a
 * viewport. */
static void viewport_none(struct agpu_test *t)
{
    const float infinite = __builtin_inff(), nan = __builtin_nanf("");
    const struct agpu_viewport none[] = {{0, 0, 0, 0, 0, 0},        {4, 4, 0, 4, 0, 1},
                                         {4, 4, 4, -4, 0, 1},       {nan, 4, 4, 4, 0, 1},
                                         {4, 4, infinite, 4, 0, 1}, {4, 4, 4, 4, 0, nan}};

    agpu_return_unless(begin_white(t));
    for (uint32_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){4, 2, 6, 5, 0, 1}); /* no later effect */
        agpu_put_viewport(agpu_rig_of(t), &none[i]);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
}

/* A viewport without size means none, so its depth range must be ignored too. */
static void viewport_none_depths(struct agpu_test *t)
{
    static const struct agpu_viewport none = {0, 0, 0, 0, 0.25f, 0.5f};

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && begin_white(t));
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_put_viewport(agpu_rig_of(t), &none);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_expect_depth(t, 30, AEROGPU_FORMAT_D32_FLOAT, UINT32_MAX, agpu_float_bits(0.5f),
                      agpu_float_bits(0.5f));
}

/* The scissor rectangle must limit draws while it is enabled, and one outside the target must let nothing through. */
static void raster_scissor(struct agpu_test *t)
{
    static const int32_t outside[][4] = {{1000, 0, 5, 5}, {0, 1000, 5, 5},   {16, 0, 16, 16}, {0, 16, 16, 16},
                                         {-5, 0, 5, 16},  {0, -5, 16, 5},    {-20, 0, 4, 16}, {0, -20, 16, 4},
                                         {-9, -9, 9, 9},  {-2000, 0, 16, 16}};

    agpu_return_unless(begin_white(t));
    agpu_put_rasterizer(agpu_rig_of(t))->scissor_enable = 1;
    agpu_put_scissor(agpu_rig_of(t), 4, 2, 6, 5);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect(t, raster_inner, 0));
    /* A rectangle that is clipped to nothing lets nothing through, on whichever side of the target it is. */
    agpu_put_rasterizer(agpu_rig_of(t));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_rasterizer(agpu_rig_of(t))->scissor_enable = 1;
    for (uint32_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        agpu_put_scissor(agpu_rig_of(t), outside[i][0], outside[i][1], outside[i][2], outside[i][3]);
        agpu_put_draw(agpu_rig_of(t), 4);
    }
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_put_rasterizer(agpu_rig_of(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

static uint32_t raster_corner(uint32_t x, uint32_t y)
{
    return x < 3 && y < 2 ? AGPU_WHITE : AGPU_NOTHING;
}

static uint32_t raster_two_texels(uint32_t x, uint32_t y)
{
    return (x == 2 && y == 1) || (x == 15 && y == 15) ? AGPU_WHITE : AGPU_NOTHING;
}

/* Given a scissor rectangle that starts left of and above the target, the draw must cover the part inside. */
static void scissor_negative(struct agpu_test *t)
{
    agpu_return_unless(begin_white(t));
    agpu_put_rasterizer(agpu_rig_of(t))->scissor_enable = 1;
    agpu_put_scissor(agpu_rig_of(t), -5, -2000000000, 8, 2000000002);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, raster_corner, 0);
}

/* A scissor without width or height must mean none, whatever was set before; the default is none. */
static void scissor_none(struct agpu_test *t)
{
    static const int32_t none[][2] = {{0, 5}, {5, 0}, {-1, 5}, {5, -2000000000}};

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_CLEAR_ALL) && begin_white(t));
    agpu_put_rasterizer(agpu_rig_of(t))->scissor_enable = 1;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    for (uint32_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_scissor(agpu_rig_of(t), 4, 2, 6, 5);
        agpu_put_scissor(agpu_rig_of(t), 4, 2, none[i][0], none[i][1]);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
    /* To the edges of the target and beyond them, and one texel. */
    agpu_put_scissor(agpu_rig_of(t), 2147483647, 0, 2147483647, 16);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_scissor(agpu_rig_of(t), 2, 1, 1, 1);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_scissor(agpu_rig_of(t), 15, 15, 2147483647, 2147483647);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, raster_two_texels, 0);
}

/* Points and lines are clipped, tested and blended like triangles. */
static uint32_t half_a_row(uint32_t x, uint32_t y)
{
    return y == 4 && x >= 2 && x < 5 ? AGPU_RGBA(128, 128, 128, 128) : AGPU_NOTHING;
}

/* Points and lines must obey scissor, blending and the depth test, like triangles. */
static void points_and_lines(struct agpu_test *t)
{
    static const uint32_t topologies[] = {AEROGPU_TOPOLOGY_POINTLIST, AEROGPU_TOPOLOGY_LINELIST,
                                          AEROGPU_TOPOLOGY_LINESTRIP};
    struct agpu_vertex row[10];
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    for (uint32_t i = 0; i < sizeof topologies / sizeof topologies[0]; i++) {
        for (uint32_t k = 0; k < 10; k++) { /* points at columns 2 to 11, or lines from each to the next */
            const uint32_t column = i == 1 ? 2 + (k + 1) / 2 : 2 + k;

            row[k] = (struct agpu_vertex){((float)column + 0.5f) / 8 - 1, 1 - 4.5f / 8, 0.5f, 1, 1, 1, 1, 1};
        }
        agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 0);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_scene_color(t, row, 10, topologies[i]);
        agpu_put_rasterizer(agpu_rig_of(t))->scissor_enable = 1;
        agpu_put_scissor(agpu_rig_of(t), 0, 0, 5, EDGE);
        blend = agpu_put_blend(agpu_rig_of(t));
        blend->enable = 1;
        blend->src_factor = blend->src_factor_alpha = AEROGPU_BLEND_CONSTANT;
        for (uint32_t k = 0; k < 4; k++) {
            blend->blend_constant_rgba_f32[k] = agpu_float_bits(0.5f);
        }
        agpu_put_draw(agpu_rig_of(t), 10);
        agpu_return_unless(agpu_expect(t, half_a_row, 1));
        /* Given a nearer depth in the target, nothing is drawn. */
        agpu_put_blend(agpu_rig_of(t));
        agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
        agpu_put_clear_depth(agpu_rig_of(t), 0.25f, 0);
        agpu_put_depth_state(agpu_rig_of(t), 1, 0, AEROGPU_COMPARE_LESS);
        agpu_put_draw(agpu_rig_of(t), 10);
        agpu_return_unless(agpu_expect(t, half_a_row, 1));
        agpu_put_depth_state(agpu_rig_of(t), 0, 0, AEROGPU_COMPARE_ALWAYS);
    }
}

/* Texels behind the far plane and in front of the near plane must be clipped; without clipping their depth is the end
 * of the viewport's range. */
static void depth_clip(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){0, 0, (float)EDGE, (float)EDGE, 0.25f, 0.75f});
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t end = agpu_float_bits(i ? 0.25f : 0.75f);

        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_clear_depth(agpu_rig_of(t), 0.5f, 0);
        agpu_scene_solid(t, i ? -0.5f : 1.5f, 1, 1, 1, 1);
        agpu_put_rasterizer(agpu_rig_of(t));
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
        agpu_put_rasterizer(agpu_rig_of(t))->flags = AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
        agpu_return_unless(agpu_expect_depth(t, 30, AEROGPU_FORMAT_D32_FLOAT, UINT32_MAX, end, end));
    }
}

/* Depth bias must use the unit of the format: 2^-24 for D24; for D32 the unit of the triangle's largest depth, which is
 * 2^-24 too at a depth of one half. */
static void depth_bias(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && begin_white(t));
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_target(agpu_rig_of(t), 31, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_put_rasterizer(agpu_rig_of(t))->depth_bias = 1 << 20;
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 31);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_depth(t, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xFFFFFFu, 0x8FFFFEu, 0x900002u);
    agpu_expect_depth(t, 31, AEROGPU_FORMAT_D32_FLOAT, UINT32_MAX, agpu_float_bits(0.5625f),
                      agpu_float_bits(0.5625f));
}

/* A negative bias must bring a triangle at the stored depth in front of it; without a bias it fails the test. */
static void depth_bias_negative(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && begin_white(t));
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_clear_depth(agpu_rig_of(t), 0.5f, 0);
    agpu_put_depth_state(agpu_rig_of(t), 1, 0, AEROGPU_COMPARE_LESS);
    agpu_put_rasterizer(agpu_rig_of(t))->depth_bias = 4;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_put_rasterizer(agpu_rig_of(t))->depth_bias = -4;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Wireframe triangles must draw their edges and leave their interior empty (devices that cannot draw lines fill it); a
 * solid draw after them is filled. */
static void raster_wireframe(struct agpu_test *t)
{
    bool solid;

    agpu_return_unless(begin_white(t));
    agpu_put_rasterizer(agpu_rig_of(t))->fill_mode = AEROGPU_FILL_WIREFRAME;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_scene_read(t, AGPU_TARGET, AEROGPU_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, texels));
    /* Devices that cannot draw lines fill the triangle. */
    solid = !t->env->model && texels[3 * EDGE + 3] == AGPU_WHITE;
    agpu_choice(t, "wireframe", solid ? "filled" : "lines");
    /* The renderer decides which texels a line covers; the interior stays empty, and the diagonal passes here. */
    for (uint32_t y = 3; y < 8; y++) {
        for (uint32_t x = 3; x + y < EDGE - 3; x++) {
            agpu_return_unless(agpu_check_eq_hex(t, texels[y * EDGE + x], solid ? AGPU_WHITE : AGPU_NOTHING));
        }
    }
    if (t->env->model) {
        agpu_check_eq_hex(t, texels[7 * EDGE + 8], AGPU_WHITE);
    }
    agpu_check(t, texels[7 * EDGE + 7] == AGPU_WHITE || texels[7 * EDGE + 8] == AGPU_WHITE ||
                      texels[8 * EDGE + 7] == AGPU_WHITE || texels[7 * EDGE + 9] == AGPU_WHITE);
    /* Solid again, with no other change of state between two draws of a submission. */
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_put_rasterizer(agpu_rig_of(t));
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

static const struct agpu_case render_raster_cases[] = {
    AGPU_SCENE_CASE("render.raster.cull_removes", "commands.md 8", 0, cull_removes),
    AGPU_SCENE_CASE("render.raster.cull_keeps", "commands.md 8", 0, cull_keeps),
    AGPU_SCENE_CASE("render.raster.viewport", "commands.md 8", 0, raster_viewport),
    AGPU_SCENE_CASE("render.raster.viewport_parts_of_texels", "commands.md 8", 0, viewport_between),
    AGPU_SCENE_CASE("render.raster.viewport_clipped", "commands.md 8", 0, viewport_clipped),
    AGPU_SCENE_CASE("render.raster.viewport_none", "commands.md 8", 0, viewport_none),
    AGPU_SCENE_CASE("render.raster.viewport_none_depths", "commands.md 8", 0, viewport_none_depths),
    AGPU_SCENE_CASE("render.raster.scissor", "commands.md 8", 0, raster_scissor),
    AGPU_SCENE_CASE("render.raster.scissor_negative_origin", "commands.md 8", 0, scissor_negative),
    AGPU_SCENE_CASE("render.raster.scissor_none", "commands.md 8", 0, scissor_none),
    AGPU_SCENE_CASE("render.raster.points_and_lines", "commands.md 8", 0, points_and_lines),
    AGPU_SCENE_CASE("render.raster.depth_clip_disable", "commands.md 8", 0, depth_clip),
    AGPU_SCENE_CASE("render.raster.depth_bias", "commands.md 8", 0, depth_bias),
    AGPU_SCENE_CASE("render.raster.depth_bias_negative", "commands.md 8", 0, depth_bias_negative),
    AGPU_SCENE_CASE("render.raster.wireframe", "commands.md 15", 0, raster_wireframe),
};

AGPU_CASE_TABLE(agpu_cases_render_raster, render_raster_cases);
