/* fixed.c: values of fixed-function state: every blend factor and operation, separately for colour and alpha; masks and
 * blending of all targets; short packets; depth ranges; viewports between texels (commands.md 8). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define GREY AGPU_RGBA(51, 51, 51, 51)

/* ---- blending, computed as commands.md 8 says ---- */

static const float source[4] = {0.8f, 0.6f, 0.4f, 0.2f}, target[4] = {0.4f, 1, 0.2f, 0.6f},
                   constant[4] = {0.2f, 0.4f, 0.6f, 0.8f};

static float fixed_factor(uint32_t factor, uint32_t channel)
{
    switch (factor) {
    case AEROGPU_BLEND_ZERO:
        return 0;
    case AEROGPU_BLEND_SRC_ALPHA:
        return source[3];
    case AEROGPU_BLEND_INV_SRC_ALPHA:
        return 1 - source[3];
    case AEROGPU_BLEND_DEST_ALPHA:
        return target[3];
    case AEROGPU_BLEND_INV_DEST_ALPHA:
        return 1 - target[3];
    case AEROGPU_BLEND_CONSTANT:
        return constant[channel];
    case AEROGPU_BLEND_INV_CONSTANT:
        return 1 - constant[channel];
    default:
        return 1;
    }
}

static uint32_t fixed_blended(uint32_t op, uint32_t src_factor, uint32_t dst_factor, uint32_t channel)
{
    float s = source[channel] * fixed_factor(src_factor, channel);
    float d = target[channel] * fixed_factor(dst_factor, channel);
    float v = op == AEROGPU_BLEND_OP_ADD            ? s + d
              : op == AEROGPU_BLEND_OP_SUBTRACT     ? s - d
              : op == AEROGPU_BLEND_OP_REV_SUBTRACT ? d - s
              : op == AEROGPU_BLEND_OP_MIN          ? (s < d ? s : d)
                                                    : (s > d ? s : d);

    return v <= 0 ? 0 : v >= 1 ? 255 : (uint32_t)(v * 255 + 0.5f);
}

/* Returns combination n. The steps have no common divisor with the counts, so each pair of values differs somewhere.
 * MIN and MAX use no factors. */
static struct aerogpu_blend_state fixed_blend(uint32_t n)
{
    struct aerogpu_blend_state blend = {.enable = 1, .color_write_mask = 15, .sample_mask = UINT32_MAX};

    blend.blend_op = n % 5;
    blend.blend_op_alpha = (n * 3 + 1) % 5;
    blend.src_factor = n % 8;
    blend.dst_factor = (n * 3 + n / 8 + 1) % 8;
    blend.src_factor_alpha = (n * 5 + 2 + n / 8) % 8;
    blend.dst_factor_alpha = (n * 7 + 3) % 8;
    if (blend.blend_op >= AEROGPU_BLEND_OP_MIN) {
        blend.src_factor = blend.dst_factor = AEROGPU_BLEND_ONE;
    }
    if (blend.blend_op_alpha >= AEROGPU_BLEND_OP_MIN) {
        blend.src_factor_alpha = blend.dst_factor_alpha = AEROGPU_BLEND_ONE;
    }
    for (uint32_t i = 0; i < 4; i++) {
        blend.blend_constant_rgba_f32[i] = agpu_float_bits(constant[i]);
    }
    return blend;
}

/* New states per submission: each may make a driver compile a pipeline. */
#define STATES_A_SUBMISSION 4u

/* Colour and alpha must be blended with their own factors and operations. */
static void fixed_blend_apart(struct agpu_test *t)
{
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, source[0], source[1], source[2], source[3]);
    for (uint32_t image = 0; image < 3; image++) {
        agpu_put_clear_color(r, target[0], target[1], target[2], target[3]);
        for (uint32_t i = 0; i < AGPU_CELLS; i++) {
            struct aerogpu_blend_state b = fixed_blend(image * AGPU_CELLS + i);

            *agpu_put_blend(r) = b;
            agpu_put_cell(r, i);
            expected[i].what = "colour and alpha by factors and operations of their own";
            expected[i].color =
                AGPU_RGBA(fixed_blended(b.blend_op, b.src_factor, b.dst_factor, 0),
                          fixed_blended(b.blend_op, b.src_factor, b.dst_factor, 1),
                          fixed_blended(b.blend_op, b.src_factor, b.dst_factor, 2),
                          fixed_blended(b.blend_op_alpha, b.src_factor_alpha, b.dst_factor_alpha, 3));
            if (i % STATES_A_SUBMISSION == STATES_A_SUBMISSION - 1) {
                agpu_return_unless(agpu_run_clean(t));
            }
        }
        agpu_return_unless(agpu_expect_cells(t, expected, 1));
    }
}

/* Blending switched on and off in turns must leave no trace. */
static void fixed_blend_in_turns(struct agpu_test *t)
{
    struct agpu_cell expected[AGPU_CELLS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 0.4f, 0.4f, 0.4f, 0.4f);
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    for (uint32_t i = 0; i < AGPU_CELLS; i++) {
        struct aerogpu_blend_state *blend = agpu_put_blend(r);

        blend->enable = i & 1;
        blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
        agpu_put_cell(r, i);
        expected[i].what = i & 1 ? "a sum" : "the colour as it is";
        expected[i].color = i & 1 ? AGPU_RGBA(153, 153, 153, 153) : AGPU_RGBA(102, 102, 102, 102);
    }
    agpu_expect_cells(t, expected, 0);
}

/* The fields that a short blend packet lacks must default to: alpha as colour, all samples, a constant of 1. */
static void fixed_short_blend(struct agpu_test *t)
{
    static const uint32_t sizes[] = {28, 40, 56, 60, 28, 28};
    static const struct agpu_cell expected[AGPU_CELLS] = {
        {"28 bytes: alpha blended as colour is", AGPU_RGBA(153, 153, 153, 153)},
        {"40 bytes: alpha by its own factors", AGPU_RGBA(153, 153, 153, 51)},
        {"56 bytes: all samples", AGPU_RGBA(153, 153, 153, 51)},
        {"60 bytes: a sample mask of 0", GREY},
        {"28 bytes: a constant of 1", AGPU_RGBA(102, 102, 102, 102)},
        {"28 bytes: a write mask", AGPU_RGBA(102, 51, 102, 51)}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_blend_state full = {.enable = 1,
                                       .src_factor = AEROGPU_BLEND_ONE,
                                       .dst_factor = AEROGPU_BLEND_ONE,
                                       .src_factor_alpha = AEROGPU_BLEND_ZERO,
                                       .dst_factor_alpha = AEROGPU_BLEND_ONE,
                                       .color_write_mask = 15};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_cells(t, 0.5f, 0.4f, 0.4f, 0.4f, 0.4f);
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *packet = agpu_rig_packet(r, AEROGPU_CMD_SET_BLEND_STATE, sizes[i]);

        if (i >= 4) {
            full.src_factor = AEROGPU_BLEND_CONSTANT;
            full.dst_factor = AEROGPU_BLEND_ZERO;
            full.color_write_mask = i == 4 ? 15 : 5;
        }
        memcpy(packet + 8, &full, sizes[i] - 8);
        agpu_put_cell(r, i);
    }
    agpu_expect_cells_on(t, expected, GREY, 0);
}

/* ---- targets ---- */

static void put_eight(struct agpu_rig *r, uint32_t gap)
{
    struct aerogpu_cmd_set_render_targets *set =
        agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);

    set->color_count = 8;
    for (uint32_t i = 0; i < 8; i++) {
        set->colors[i] = gap >> i & 1 ? 0 : 100 + i;
    }
}

/* Blending and write mask must apply to every target; empty slots from the first to the last are skipped. */
static void fixed_all_targets(struct agpu_test *t)
{
    static const uint32_t gaps[] = {0, 0x7F, 0x49};
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_TARGETS) && agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_targets_4_0);
    for (uint32_t i = 0; i < 8; i++) {
        agpu_put_target(r, 100 + i, RGBA, EDGE, EDGE);
    }
    blend = agpu_put_blend(r);
    blend->enable = 1;
    blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    blend->color_write_mask = 9;
    for (uint32_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        put_eight(r, 0);
        agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
        put_eight(r, gaps[g]);
        agpu_put_draw(r, 3);
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t red = 51 + (i + 1) * 255 / 8;

            agpu_return_unless(agpu_expect_target_all(
                t, 100 + i, RGBA, gaps[g] >> i & 1 ? GREY : AGPU_RGBA(red < 255 ? red : 255, 51, 51, 255),
                1));
        }
    }
}

/* A clear must reach every bound target, also after a gap, whatever blending, mask, viewport and scissor are. */
static void fixed_clear_all_targets(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_TARGETS | AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    for (uint32_t i = 0; i < 8; i++) {
        agpu_put_target(r, 100 + i, RGBA, EDGE, EDGE);
    }
    agpu_put_target(r, 110, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_blend(r)->color_write_mask = 0;
    agpu_put_viewport(r, &(struct agpu_viewport){0, 0, 8, 8, 0, 1});
    put_eight(r, 0x4A);
    agpu_put_clear_color(r, 1, 0, 0, 1);
    for (uint32_t i = 0; i < 8; i++) {
        agpu_return_unless(
            agpu_expect_target_all(t, 100 + i, RGBA, 0x4A >> i & 1 ? AGPU_NOTHING : AGPU_RED, 0));
    }
}

/* The drawn values of one aspect of a depth target must remain when the other is cleared. */
static void fixed_clear_one_aspect(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_clear *clear;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.25f, 1, 1, 1, 1);
    agpu_put_target(r, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, 30);
    agpu_put_clear_depth(r, 1, 0x5A);
    agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_put_draw(r, 4);
    clear = agpu_rig_packet(r, AEROGPU_CMD_CLEAR, sizeof *clear);
    clear->flags = AEROGPU_CLEAR_STENCIL;
    clear->stencil = 0xA5;
    agpu_return_unless(
        agpu_expect_depth(t, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xFFFFFFu, 0x3FFFFEu, 0x400001u));
    agpu_return_unless(
        agpu_expect_depth(t, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xFF000000u, 0xA5000000u, 0xA5000000u));
    agpu_put_draw(r, 4);
    clear = agpu_rig_packet(r, AEROGPU_CMD_CLEAR, sizeof *clear);
    clear->flags = AEROGPU_CLEAR_DEPTH;
    clear->depth_f32 = agpu_float_bits(0.75f);
    agpu_return_unless(
        agpu_expect_depth(t, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xFFFFFFu, 0xBFFFFEu, 0xC00000u));
    agpu_expect_depth(t, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xFF000000u, 0xA5000000u, 0xA5000000u);
}

/* A draw of depth must leave each texel's stencil: a pattern from guest memory. */
static void fixed_stencil_pattern(struct agpu_test *t)
{
    static uint32_t texels[AGPU_IMAGE_TEXELS], pattern[EDGE * EDGE];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        pattern[i] = (i * 7 + 1) << 24 | 0xFFFFFFu;
    }
    agpu_scene_solid(t, 0.25f, 1, 1, 1, 1);
    agpu_put_target(r, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE);
    agpu_put_upload(r, 30, 0, pattern, sizeof pattern);
    agpu_put_targets(r, AGPU_TARGET, 30);
    agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_LESS);
    agpu_put_rasterizer(r)->scissor_enable = 1;
    agpu_put_scissor(r, 0, 0, EDGE, EDGE / 2);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_scene_read(t, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, EDGE, EDGE, texels));
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        agpu_return_unless(agpu_check_eq_hex(t, texels[i] >> 24, pattern[i] >> 24));
        agpu_return_unless(
            agpu_check_eq_hex(t, ((texels[i] & 0xFFFFFFu) + 1) >> 21, i < EDGE * EDGE / 2 ? 2 : 8));
    }
}

/* ---- viewport ---- */

/* A viewport between texels: the square's left edge is at 2.75, its right edge at 10.75. */
static uint32_t viewport_between_texels(uint32_t x, uint32_t y)
{
    return x >= 3 && x < 11 && y >= 2 && y < 6 ? AGPU_WHITE : AGPU_NOTHING;
}

/* A viewport with a fractional position must draw the texels whose centres it covers. */
static void fixed_viewport_fraction(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){2.75f, 1.75f, 8, 4, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, viewport_between_texels, 0);
}

/* The depth that a draw writes must be min + z (max - min) of the viewport; min and max change separately. */
static void fixed_depth_range(struct agpu_test *t)
{
    static const float ranges[][3] = {{0, 1, 0.25f},         {0.5f, 1, 0.625f}, {0, 0.5f, 0.125f},
                                      {0.75f, 0.75f, 0.75f}, {0, 0, 0},         {1, 0, 0.75f}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.25f, 1, 1, 1, 1);
    agpu_put_target(r, 30, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, 30);
    agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_ALWAYS);
    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        uint32_t bits = agpu_float_bits(ranges[i][2]);

        if (ranges[i][0] > ranges[i][1] && !t->env->model) { /* drivers send no reversed range */
            break;
        }

        agpu_put_viewport(
            r, &(struct agpu_viewport){0, 0, (float)EDGE, (float)EDGE, ranges[i][0], ranges[i][1]});
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_expect_depth(t, 30, AEROGPU_FORMAT_D32_FLOAT, UINT32_MAX, bits, bits));
    }
}

/* An X8 target must have alpha 1 whatever its memory contains. */
static void fixed_x8_alpha(struct agpu_test *t)
{
    static const uint32_t formats[] = {AEROGPU_FORMAT_B8G8R8X8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM};
    static uint32_t texels[EDGE * EDGE];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        texels[i] = AGPU_RGBA(40, 80, 40, 0);
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct aerogpu_blend_state *blend = agpu_put_blend(r);

        blend->enable = 1;
        blend->src_factor = AEROGPU_BLEND_ZERO;
        blend->dst_factor = AEROGPU_BLEND_DEST_ALPHA;
        agpu_put_target(r, 100 + i, formats[i], EDGE, EDGE);
        agpu_put_upload(r, 100 + i, 0, texels, sizeof texels);
        agpu_put_targets(r, 100 + i, 0);
        agpu_put_draw(r, 4);
        agpu_part(t, "format %s", agpu_texel_name(formats[i]));
        agpu_return_unless(agpu_expect_target_all(t, 100 + i, formats[i], AGPU_RGBA(40, 80, 40, 255), 0));
    }
}

static const struct agpu_case render_fixed_cases[] = {
    AGPU_SCENE_CASE("render.blend.colour_and_alpha_apart", "commands.md 8", 0, fixed_blend_apart),
    AGPU_SCENE_CASE("render.blend.on_and_off_in_turns", "commands.md 8", 0, fixed_blend_in_turns),
    AGPU_SCENE_CASE("render.blend.short_packets", "commands.md 8", 0, fixed_short_blend),
    AGPU_SCENE_CASE("render.blend.every_target", "commands.md 8", 0, fixed_all_targets),
    AGPU_SCENE_CASE("render.blend.x8_alpha_is_one", "commands.md 5", 0, fixed_x8_alpha),
    AGPU_SCENE_CASE("render.clear.every_target", "commands.md 11", 0, fixed_clear_all_targets),
    AGPU_SCENE_CASE("render.clear.keeps_drawn_aspect", "commands.md 11", 0, fixed_clear_one_aspect),
    AGPU_SCENE_CASE("render.depth.stencil_pattern_stays", "commands.md 8", 0, fixed_stencil_pattern),
    AGPU_SCENE_CASE("render.depth.range", "commands.md 8", 0, fixed_depth_range),
    AGPU_SCENE_CASE("render.raster.viewport_between_texels", "commands.md 8", 0, fixed_viewport_fraction),
};

AGPU_CASE_TABLE(agpu_cases_render_fixed, render_fixed_cases);
