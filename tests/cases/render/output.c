/* output.c: blending, masks, depth, several targets, target formats (commands.md 8, 11). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define D24  AEROGPU_FORMAT_D24_UNORM_S8_UINT
#define D32  AEROGPU_FORMAT_D32_FLOAT

/* Each factor as source factor over black, and as destination factor under black: source 0.8 0.6 0.4 alpha 0.2,
 * destination 0.5 1 0.25 alpha 0.4, constant 0.2 0.4 0.6 0.8. */
static const uint32_t scaled_source[8] = {AGPU_RGBA(0, 0, 0, 0),     AGPU_RGBA(204, 153, 102, 51),
                                          AGPU_RGBA(41, 31, 20, 10), AGPU_RGBA(163, 122, 82, 41),
                                          AGPU_RGBA(82, 61, 41, 20), AGPU_RGBA(122, 92, 61, 31),
                                          AGPU_RGBA(41, 61, 61, 41), AGPU_RGBA(163, 92, 41, 10)};
static const uint32_t scaled_target[8] = {AGPU_RGBA(0, 0, 0, 0),      AGPU_RGBA(128, 255, 64, 102),
                                          AGPU_RGBA(26, 51, 13, 20),  AGPU_RGBA(102, 204, 51, 82),
                                          AGPU_RGBA(51, 102, 26, 41), AGPU_RGBA(77, 153, 38, 61),
                                          AGPU_RGBA(26, 102, 38, 82), AGPU_RGBA(102, 153, 26, 20)};

/* Each blend factor must scale source and destination as defined. */
static void blend_factors(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 0.8f, 0.6f, 0.4f, 0.2f);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t factor = i / 2;
        uint32_t src = i & 1 ? AEROGPU_BLEND_ZERO : factor, dst = i & 1 ? factor : AEROGPU_BLEND_ZERO;
        struct aerogpu_blend_state *blend;

        agpu_put_clear_color(agpu_rig_of(t), 0.5f, 1, 0.25f, 0.4f);
        blend = agpu_put_blend(agpu_rig_of(t));
        blend->enable = 1;
        blend->src_factor = blend->src_factor_alpha = src;
        blend->dst_factor = blend->dst_factor_alpha = dst;
        for (uint32_t k = 0; k < 4; k++) {
            blend->blend_constant_rgba_f32[k] = agpu_float_bits(0.2f * (float)(k + 1));
        }
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, i & 1 ? scaled_target[factor] : scaled_source[factor], 1));
    }
}

/* Each blend operation must combine source and destination into the expected colour. */
static void blend_operations(struct agpu_test *t)
{
    static const uint32_t results[] = {AGPU_RGBA(255, 153, 255, 255), AGPU_RGBA(0, 51, 0, 0),
                                       AGPU_RGBA(102, 0, 0, 0), AGPU_RGBA(102, 51, 255, 255),
                                       AGPU_RGBA(204, 102, 255, 255)};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 0.4f, 0.4f, 1, 1);
    for (uint32_t op = 0; op <= AEROGPU_BLEND_OP_MAX; op++) {
        struct aerogpu_blend_state *blend;

        agpu_put_clear_color(agpu_rig_of(t), 0.8f, 0.2f, 1, 1);
        blend = agpu_put_blend(agpu_rig_of(t));
        blend->enable = 1;
        blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
        blend->blend_op = blend->blend_op_alpha = op;
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, results[op], 1));
    }
}

/* Given separate factors for colour and alpha, the device must apply each to its own channels. */
static void blend_alpha_apart(struct agpu_test *t)
{
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 0.5f, 0, 0.25f);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0.5f, 1, 1);
    blend = agpu_put_blend(agpu_rig_of(t));
    blend->enable = 1;
    blend->src_factor = AEROGPU_BLEND_SRC_ALPHA;
    blend->dst_factor = AEROGPU_BLEND_INV_SRC_ALPHA;
    blend->src_factor_alpha = AEROGPU_BLEND_ZERO;
    blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_RGBA(64, 128, 191, 255), 1);
}

/* Each of the sixteen colour write masks must let exactly its channels through. */
static void write_mask(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t mask = 0; mask < 16; mask++) {
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_blend(agpu_rig_of(t))->color_write_mask = (uint8_t)mask;
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(
            t, AGPU_RGBA(mask & 1 ? 255 : 0, mask & 2 ? 255 : 0, mask & 4 ? 255 : 0, mask & 8 ? 255 : 0), 0));
    }
}

/* A sample mask without bit 0 must discard every texel; one with bit 0 draws. */
static void sample_mask(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_blend(agpu_rig_of(t))->sample_mask = UINT32_MAX - 1;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_put_blend(agpu_rig_of(t))->sample_mask = 1;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* Stripes at depth 0.25, 0.5 and 0.75 against a stored 0.5. The bits of func say which pass (less, equal, greater): the
 * values are numbered that way. */
static uint32_t passing;

static uint32_t output_stripes(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 12 && passing >> x / 4 & 1 ? AGPU_WHITE : AGPU_NOTHING;
}

/* Each of the eight compare functions must pass the right ones of a nearer, an equal and a farther stripe, without
 * writing depth. */
static void depth_functions(struct agpu_test *t)
{
    struct agpu_vertex vertices[12];
    const uint32_t format = *(const uint32_t *)t->test_case->arg;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    for (uint32_t i = 0; i < 3; i++) {
        agpu_scene_quad(vertices + 4 * i, 0.25f * (float)(i + 1), 1, 1, 1, 1);
        for (uint32_t k = 0; k < 4; k++) {
            vertices[4 * i + k].x = -1 + 0.5f * (float)(i + (k & 1));
        }
    }
    agpu_scene_color(t, vertices, 12, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    agpu_put_target(agpu_rig_of(t), 30, format, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    for (passing = 0; passing < 8; passing++) {
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_clear_depth(agpu_rig_of(t), 0.5f, 0);
        agpu_put_depth_state(agpu_rig_of(t), 1, 0, passing);
        for (uint32_t i = 0; i < 3; i++) {
            agpu_put_draw(agpu_rig_of(t), 4)->first_vertex = 4 * i;
        }
        agpu_return_unless(agpu_expect(t, output_stripes, 0));
        /* Writing was off. */
        if (format == D24 && !t->env->executor.first_only) {
            agpu_return_unless(agpu_expect_depth(t, 30, format, 0xFFFFFFu, 0x7FFFFFu, 0x800000u));
        }
    }
}

/* A draw must write its depth, scaled to the viewport's range, and keep the stencil; without the depth test it writes
 * none. */
static void depth_write(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.75f, 1, 1, 1, 1);
    agpu_put_target(agpu_rig_of(t), 30, D24, EDGE, EDGE);
    agpu_put_target(agpu_rig_of(t), 31, D32, EDGE, EDGE);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){0, 0, (float)EDGE, (float)EDGE, 0.5f, 1});
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30 + i);
        agpu_put_clear_depth(agpu_rig_of(t), 0, 0xA5);
        agpu_put_draw(agpu_rig_of(t), 4);
    }
    agpu_expect_depth(t, 30, D24, 0xFFFFFFu, 0xDFFFFEu, 0xE00000u);
    agpu_expect_depth(t, 30, D24, 0xFF000000u, 0xA5000000u, 0xA5000000u); /* draws keep the stencil */
    agpu_expect_depth(t, 31, D32, UINT32_MAX, agpu_float_bits(0.875f), agpu_float_bits(0.875f));
    /* Without the test nothing is written either. */
    agpu_put_clear_depth(agpu_rig_of(t), 0, 0);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_depth_state(agpu_rig_of(t), 0, 1, AEROGPU_COMPARE_NEVER);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_expect_depth(t, 31, D32, UINT32_MAX, 0, 0);
}

/* The packet has no stencil function and no operations: whatever its masks are, every texel must pass, and only a clear
 * changes the stencil. */
static void stencil_masks(struct agpu_test *t)
{
    static const uint8_t masks[][2] = {{0, 0}, {0xFF, 0xFF}, {0x0F, 0xF0}};

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_target(agpu_rig_of(t), 30, D24, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    for (uint32_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        struct aerogpu_cmd_set_depth_stencil_state *set;

        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_clear_depth(agpu_rig_of(t), 1, 0x5A + i);
        set = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, sizeof *set);
        set->state.depth_enable = set->state.depth_write_enable = 1;
        set->state.depth_func = AEROGPU_COMPARE_LESS;
        set->state.stencil_enable = 1;
        set->state.stencil_read_mask = masks[i][0];
        set->state.stencil_write_mask = masks[i][1];
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
        agpu_return_unless(agpu_expect_depth(t, 30, D24, 0xFF000000u, (0x5Au + i) << 24, (0x5Au + i) << 24));
        agpu_return_unless(agpu_expect_depth(t, 30, D24, 0xFFFFFFu, 0x7FFFFEu, 0x800001u));
    }
}

/* Given a depth target alone, a draw must write its depth and leave the unbound colour target unchanged. */
static void depth_only(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.25f, 1, 1, 1, 1);
    agpu_put_target(agpu_rig_of(t), 30, D32, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), 0, 30);
    agpu_put_clear_depth(agpu_rig_of(t), 1, 0);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_LESS);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_depth(t, 30, D32, UINT32_MAX, agpu_float_bits(0.25f), agpu_float_bits(0.25f));
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* Given eight targets with a gap, the pixel shader must write each output to its target and nothing to the gap's
 * texture. */
static void eight_targets(struct agpu_test *t)
{
    struct aerogpu_cmd_set_render_targets *set;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_targets_4_0);
    for (uint32_t i = 0; i < 8; i++) {
        agpu_put_target(agpu_rig_of(t), 100 + i, RGBA, EDGE, EDGE);
    }
    set = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
    set->color_count = 8;
    for (uint32_t i = 0; i < 8; i++) {
        set->colors[i] = i == 3 ? 0 : 100 + i; /* a gap */
    }
    agpu_put_draw(agpu_rig_of(t), 3);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t red = (i + 1) * 255 / 8;

        agpu_return_unless(agpu_expect_target_all(
            t, 100 + i, RGBA, i == 3 ? AGPU_NOTHING : AGPU_RGBA(red, 255 - red, 0, 255), 1));
    }
}

/* A bound target 1 must stay unchanged if the shader writes target 0 only. */
static void unwritten_target(struct agpu_test *t)
{
    struct aerogpu_cmd_set_render_targets *set;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_TARGETS) && agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_color_4_0);
    agpu_put_target(agpu_rig_of(t), 100, RGBA, EDGE, EDGE);
    set = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
    set->color_count = 2;
    set->colors[0] = AGPU_TARGET;
    set->colors[1] = 100;
    agpu_put_clear_color(agpu_rig_of(t), 1, 0, 0, 1);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_expect_target_all(t, 100, RGBA, AGPU_RED, 0);
}

/* A draw without a pixel shader must write depth only (known devices refuse it). */
static void no_pixel_shader(struct agpu_test *t)
{
    bool refused;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_color_4_0);
    agpu_put_target(agpu_rig_of(t), 30, D32, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS});
    agpu_put_draw(agpu_rig_of(t), 3);
    /* Known devices refuse the draw (commands.md 15). */
    agpu_return_unless(agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused));
    agpu_choice(t, "draw_without_pixel_shader", refused ? "refused" : "depth only");
    if (refused) {
        agpu_check(t, !t->env->model);
        return;
    }
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_expect_depth(t, 30, D32, UINT32_MAX, agpu_float_bits(0.5f), agpu_float_bits(0.5f));
}

/* A draw of 0.5 0.25 1 alpha 0.5 must be stored in every colour format, read back as RGBA; an sRGB target stores the
 * encoded value, an X8 one alpha 255. */
static void target_formats(struct agpu_test *t)
{
    static const float color[4] = {0.5f, 0.25f, 1, 0.5f};

    static const struct {
        uint32_t format, texel;
    } rows[] = {
        {AEROGPU_FORMAT_B8G8R8A8_UNORM, AGPU_RGBA(128, 64, 255, 128)},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM, AGPU_RGBA(128, 64, 255, 255)},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM, AGPU_RGBA(128, 64, 255, 128)},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM, AGPU_RGBA(128, 64, 255, 255)},
        {AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, AGPU_RGBA(188, 137, 255, 128)},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, AGPU_RGBA(188, 137, 255, 255)},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, AGPU_RGBA(188, 137, 255, 128)},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, AGPU_RGBA(188, 137, 255, 255)},
    };

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, color, sizeof color);
    agpu_put_constants(agpu_rig_of(t), AEROGPU_SHADER_STAGE_PIXEL, 0, 40, 0, 16);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_put_target(agpu_rig_of(t), 100 + i, rows[i].format, EDGE, EDGE);
        agpu_put_targets(agpu_rig_of(t), 100 + i, 0);
        agpu_put_draw(agpu_rig_of(t), 3);
        agpu_return_unless(agpu_expect_target_all(t, 100 + i, rows[i].format, rows[i].texel, 1));
    }
}

/* 16-bit targets must store whole levels of 31 and 63, which are the same whether a device stores 16 bits or converts
 * from 8. */
static void target_b5(struct agpu_test *t)
{
    static const float colors[2][4] = {{21 / 31.0f, 10 / 63.0f, 5 / 31.0f, 1},
                                       {21 / 31.0f, 10 / 31.0f, 5 / 31.0f, 0}};
    static const uint32_t levels[2] = {AGPU_RGBA(173, 40, 41, 255), AGPU_RGBA(173, 82, 41, 0)};

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_OTHER_SIZES) && agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, colors, sizeof colors);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t format = i ? AEROGPU_FORMAT_B5G5R5A1_UNORM : AEROGPU_FORMAT_B5G6R5_UNORM;

        agpu_put_target(agpu_rig_of(t), 100 + i, format, EDGE, EDGE);
        agpu_put_targets(agpu_rig_of(t), 100 + i, 0);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 1);
        agpu_put_constants(agpu_rig_of(t), AEROGPU_SHADER_STAGE_PIXEL, 0, 40, 16 * i, 16);
        agpu_put_draw(agpu_rig_of(t), 3);
        agpu_return_unless(agpu_expect_target_all(t, 100 + i, format, levels[i], 0));
    }
}

/* 16-bit targets must be blended and masked like others: 1 over 0 with constants of whole levels; then through a
 * mask. */
static void blend_b5(struct agpu_test *t)
{
    static const float constant[4] = {21 / 31.0f, 10 / 31.0f, 5 / 31.0f, 1};

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_OTHER_SIZES) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t format = i ? AEROGPU_FORMAT_B5G5R5A1_UNORM : AEROGPU_FORMAT_B5G6R5_UNORM;
        struct aerogpu_blend_state *blend;

        agpu_put_target(agpu_rig_of(t), 100 + i, format, EDGE, EDGE);
        agpu_put_targets(agpu_rig_of(t), 100 + i, 0);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        blend = agpu_put_blend(agpu_rig_of(t));
        blend->enable = 1;
        blend->src_factor = AEROGPU_BLEND_CONSTANT;
        for (uint32_t k = 0; k < 4; k++) {
            blend->blend_constant_rgba_f32[k] = agpu_float_bits(constant[k]);
        }
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_target_all(
            t, 100 + i, format, i ? AGPU_RGBA(173, 82, 41, 255) : AGPU_RGBA(173, 81, 41, 255), i ? 0 : 4));
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_blend(agpu_rig_of(t))->color_write_mask = 2;
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_target_all(t, 100 + i, format, AGPU_RGBA(0, 255, 0, i ? 0 : 255), 0));
    }
}

/* Blending on an sRGB target must happen in linear space: half of white over half of it is 0.75, encoded 225. */
static void srgb_blends_linear(struct agpu_test *t)
{
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 0.5f);
    agpu_put_target(agpu_rig_of(t), 100, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), 100, 0);
    agpu_put_clear_color(agpu_rig_of(t), 0.5f, 0.5f, 0.5f, 1);
    blend = agpu_put_blend(agpu_rig_of(t));
    blend->enable = 1;
    blend->src_factor = AEROGPU_BLEND_SRC_ALPHA;
    blend->dst_factor = AEROGPU_BLEND_INV_SRC_ALPHA;
    blend->src_factor_alpha = AEROGPU_BLEND_ZERO;
    blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_target_all(t, 100, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, AGPU_RGBA(225, 225, 225, 255), 1);
}

/* The alpha of an X8 target must be 1 for blending, whatever was drawn there. */
static void x8_blends_opaque(struct agpu_test *t)
{
    static const uint32_t formats[] = {AEROGPU_FORMAT_B8G8R8X8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM,
                                       AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB};
    struct aerogpu_blend_state *blend;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 0.25f);
    for (uint32_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        agpu_put_target(agpu_rig_of(t), 100 + i, formats[i], EDGE, EDGE);
        agpu_put_targets(agpu_rig_of(t), 100 + i, 0);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_blend(agpu_rig_of(t));
        agpu_put_draw(agpu_rig_of(t), 4);
        blend = agpu_put_blend(agpu_rig_of(t));
        blend->enable = 1;
        blend->src_factor = blend->src_factor_alpha = AEROGPU_BLEND_DEST_ALPHA;
        blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ZERO;
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_part(t, "format %s", agpu_texel_name(formats[i]));
        agpu_return_unless(agpu_expect_target_all(t, 100 + i, formats[i], AGPU_WHITE, 0));
    }
}

/* Draws must fill targets of one texel, one column, one row, and of sizes that are no power of two. */
static void smallest_targets(struct agpu_test *t)
{
    static const uint8_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {2, 1}, {3, 5}};
    uint32_t texels[AGPU_IMAGE_TEXELS];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 0, 0, 1);
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t width = sizes[i][0], height = sizes[i][1];

        agpu_put_target(agpu_rig_of(t), 40 + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, width, height);
        agpu_put_targets(agpu_rig_of(t), 40 + i, 0);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_scene_read(t, 40 + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, width, height, texels));
        for (uint32_t at = 0; at < width * height; at++) {
            agpu_return_unless(agpu_check_eq_hex(t, texels[at], AGPU_RED));
        }
    }
}

#define DEPTH_CASE(name, depth_format)                                                                       \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 8", .needs = AGPU_NEED_RING,                                      \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = depth_functions,           \
        .arg = &(const uint32_t){depth_format},                                                              \
    }

static const struct agpu_case render_output_cases[] = {
    AGPU_SCENE_CASE("render.blend.factors", "commands.md 8", 0, blend_factors),
    AGPU_SCENE_CASE("render.blend.operations", "commands.md 8", 0, blend_operations),
    AGPU_SCENE_CASE("render.blend.alpha_apart", "commands.md 8", 0, blend_alpha_apart),
    AGPU_SCENE_CASE("render.blend.write_mask", "commands.md 8", 0, write_mask),
    AGPU_SCENE_CASE("render.blend.sample_mask", "commands.md 8", 0, sample_mask),
    AGPU_SCENE_CASE("render.blend.b5_formats", "commands.md 8", 0, blend_b5),
    AGPU_SCENE_CASE("render.blend.x8_is_opaque", "commands.md 8", 0, x8_blends_opaque),
    AGPU_SCENE_CASE("render.blend.srgb_is_linear", "commands.md 8", 0, srgb_blends_linear),
    DEPTH_CASE("render.depth.functions_d24", D24),
    DEPTH_CASE("render.depth.functions_d32", D32),
    AGPU_SCENE_CASE("render.depth.write", "commands.md 8", 0, depth_write),
    AGPU_SCENE_CASE("render.depth.stencil_masks", "commands.md 8", 0, stencil_masks),
    AGPU_SCENE_CASE("render.depth.without_color_target", "commands.md 11", 0, depth_only),
    AGPU_SCENE_CASE("render.target.eight_with_gap", "commands.md 8", 0, eight_targets),
    AGPU_SCENE_CASE("render.target.unwritten_stays", "commands.md 8", 0, unwritten_target),
    AGPU_SCENE_CASE("render.target.no_pixel_shader", "commands.md 15", 0, no_pixel_shader),
    AGPU_SCENE_CASE("render.target.smallest", "commands.md 11", 0, smallest_targets),
    AGPU_SCENE_CASE("render.target.formats", "commands.md 5", 0, target_formats),
    AGPU_SCENE_CASE("render.target.b5_formats", "commands.md 5", 0, target_b5),
};

AGPU_CASE_TABLE(agpu_cases_render_output, render_output_cases);
