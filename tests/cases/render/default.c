/* default.c: default state: in effect before the first packets, and again after a ring reset whatever was set before it
 * (commands.md 2, 8, 10, 15). */
#include <string.h>

#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/scene.h"

#define EDGE  AGPU_EDGE
#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS    AEROGPU_SHADER_STAGE_PIXEL
#define DEPTH 30u
#define GREY  AGPU_RGBA(51, 51, 51, 51)

/* Sets targets, shaders and vertices, which have no useful default, and nothing else. */
static void put_least(struct agpu_test *t, const struct agpu_shader_blob *ps)
{
    static const struct agpu_element elements[] = {{AGPU_POSITION, 0, 2, 0, 0, 0},
                                                   {AGPU_COLOR, 0, 2, 0, 16, 0}};
    static const struct {
        uint32_t cell;
        float depth;
        bool green, turned;
    } rows[] = {{0, 0.25f, false, false}, {1, 0.25f, false, true},  {2, 0.75f, false, false},
                {3, 0.25f, false, false}, {3, 0.375f, true, false}, {4, 0.5f, false, false}};
    static const float colors[2][4] = {{1, 0, 0, 0.5f}, {0, 1, 0, 0.5f}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_vertex vertices[6 * 10];

    for (uint32_t i = 0; i < 6; i++) {
        agpu_scene_cell_list(vertices + 6 * i, rows[i].cell, rows[i].depth, colors[rows[i].green],
                             rows[i].turned);
    }
    for (uint32_t i = 6; i < 10; i++) { /* the third row of cells */
        agpu_scene_cell_list(vertices + 6 * i, 2 + i, 0.125f, colors[1], false);
    }
    agpu_put_target(r, AGPU_TARGET, RGBA, EDGE, EDGE);
    agpu_put_target(r, DEPTH, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_targets(r, AGPU_TARGET, DEPTH);
    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_put_clear_depth(r, 0.5f, 0);
    agpu_put_shader(r, AGPU_VS, &agpu_vs_color_4_0);
    agpu_put_shader(r, AGPU_PS, ps);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS});
    agpu_put_filled_buffer(r, AGPU_VERTICES, vertices, sizeof vertices);
    agpu_put_vertex_buffer(r, 0, AGPU_VERTICES, sizeof vertices[0], 0);
    agpu_put_layout(r, AGPU_LAYOUT, elements, 2);
}

/* Checks the image of those vertices with default state: cull BACK, front clockwise, depth LESS and written, no
 * blending, all channels, whole viewport, no scissor. */
static bool expect_state(struct agpu_test *t)
{
    /* Equal depth passes on some known devices. */
    const uint32_t equal = t->env->model ? GREY : AGPU_ANY;
    const struct agpu_cell expected[AGPU_CELLS] = {
        {"a front face, not blended, unscissored", AGPU_RGBA(255, 0, 0, 128)},
        {"a back face, culled", GREY},
        {"the value behind the depth target", GREY},
        {"the nearer of two, whose depth was written", AGPU_RGBA(255, 0, 0, 128)},
        {"what lies at the stored depth", equal}};
    static uint32_t depths[AGPU_IMAGE_TEXELS];
    struct agpu_rig *r = agpu_rig_of(t);

    put_least(t, &agpu_ps_color_4_0);
    agpu_put_scissor(r, 0, 0, 1, 1); /* a rectangle, which nothing enables */
    agpu_put_draw(r, 36);
    if (!agpu_expect_cells_on(t, expected, GREY, 1)) {
        return false;
    }
    if (!agpu_scene_read(t, DEPTH, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE, depths)) {
        return false;
    }
    return agpu_check_eq_hex(t, depths[EDGE + 1], agpu_float_bits(0.25f)) &&
           agpu_check_eq_hex(t, depths[EDGE + 9], agpu_float_bits(0.5f));
}

/* Puts 2x2 texels, read at u = 1.25: the right column when clamped, the left one when repeated. */
static void put_texture(struct agpu_rig *r)
{
    static const uint32_t four[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};

    agpu_put_create_texture(r, 31, RGBA, 2, 2, 0, 0);
    agpu_put_upload(r, 31, 0, four, sizeof four);
    agpu_put_texture_slot(r, PS, 0, 31);
}

static uint32_t third_row_of(uint32_t color, uint32_t y)
{
    return y / 4 == 2 ? color : GREY;
}

static uint32_t row_of_zeros(uint32_t x, uint32_t y)
{
    (void)x;
    return third_row_of(AGPU_NOTHING, y);
}

static uint32_t row_of_clamped(uint32_t x, uint32_t y)
{
    (void)x;
    return third_row_of(AGPU_GREEN, y);
}

/* Draws over the third row of cells and shows what this pixel shader reads. */
static bool expect_bindings(struct agpu_test *t, const struct agpu_shader_blob *ps, agpu_expected *expected)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_clear_color(r, 0.2f, 0.2f, 0.2f, 0.2f);
    agpu_put_shader(r, 60, ps);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = 60});
    agpu_put_clear_depth(r, 0.5f, 0);
    agpu_put_draw(r, 24)->first_vertex = 36;
    return agpu_expect(t, expected, 0);
}

static void default_all(struct agpu_test *t)
{
    agpu_return_unless(expect_state(t));
    agpu_return_unless(expect_bindings(t, &agpu_ps_constant_4_0, row_of_zeros));
    agpu_return_unless(expect_bindings(t, &agpu_ps_load_4_0, row_of_zeros));
    put_texture(agpu_rig_of(t));
    agpu_return_unless(expect_bindings(t, &agpu_ps_sampler_slots_4_0, row_of_clamped));
}

/* State that no packet has set must have its default values before the first packets. */
static void default_power_on(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_draws_shaders(t));
    default_all(t);
}

/* Sets all state to values that would change the picture. */
static void put_hostile(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_rasterizer_state *raster;
    struct aerogpu_cmd_set_samplers *samplers;
    uint32_t *words;
    const float white[4] = {1, 1, 1, 1};

    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    raster = agpu_put_rasterizer(r);
    raster->cull_mode = AEROGPU_CULL_FRONT;
    raster->scissor_enable = 1;
    raster->depth_bias = 1 << 20;
    agpu_put_scissor(r, 0, 0, 2, 2);
    agpu_put_blend(r)->color_write_mask = 0;
    agpu_put_depth_state(r, 1, 0, AEROGPU_COMPARE_NEVER);
    agpu_put_viewport(r, &(struct agpu_viewport){8, 8, 4, 4, 0.5f, 0.75f});
    agpu_put_topology(r, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_registers(r, PS, 0, 0, 1, white);
    agpu_put_filled_buffer(r, 40, white, sizeof white);
    agpu_put_constants(r, PS, 1, 40, 0, 0);
    agpu_put_create_texture(r, 31, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_texture_slot(r, PS, 0, 31);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_LINEAR, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    samplers = agpu_rig_packet(r, AEROGPU_CMD_SET_SAMPLERS, (uint32_t)sizeof *samplers + 64);
    samplers->shader_stage = PS;
    samplers->sampler_count = 16;
    words = (uint32_t *)(samplers + 1);
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = 50;
    }
}

static bool reset_ring(struct agpu_test *t)
{
    static const struct agpu_ring_config config;

    if (!agpu_check_ok(t, agpu_ring_restart(t->env, &config))) {
        return false;
    }
    t->env->rig.fence = 0;
    agpu_rig_begin_over(&t->env->rig);
    return true;
}

/* After a ring reset, all state must have its default values, whatever was set before. */
static void default_after_reset(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    put_hostile(t);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_run_clean(t) && reset_ring(t));
    default_all(t);
}

/* Objects from before a ring reset must be unknown: a draw that needs one of them is refused. */
static void default_objects_gone(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH) && agpu_scene_begin(t));
    put_hostile(t);
    agpu_put_layout(
        r, 70, (const struct agpu_element[]){{AGPU_POSITION, 0, 2, 0, 0, 0}, {AGPU_COLOR, 0, 2, 0, 16, 0}},
        2);
    agpu_put_shader(r, 71, &agpu_ps_color_4_0);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 5; i++) {
        struct aerogpu_cmd_set_input_layout *set;

        agpu_return_unless(reset_ring(t));
        put_least(t, &agpu_ps_color_4_0);
        agpu_return_unless(agpu_run_clean(t));
        switch (i) {
        case 0:
            set = agpu_rig_packet(r, AEROGPU_CMD_SET_INPUT_LAYOUT, sizeof *set);
            set->input_layout_handle = 70;
            break;
        case 1:
            agpu_put_bind_shaders(r, &(struct agpu_stages){.vs = AGPU_VS, .ps = 71});
            break;
        case 2:
            agpu_put_sampler_slot(r, PS, 0, 50);
            break;
        case 3:
            agpu_put_texture_slot(r, PS, 0, 31);
            break;
        default:
            agpu_put_vertex_buffer(r, 0, 40, 32, 0);
            break;
        }
        agpu_put_draw(r, 36);
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    }
}

static const struct agpu_case render_default_cases[] = {
    AGPU_SCENE_CASE("render.default.before_first_packets", "commands.md 8", 0, default_power_on),
    AGPU_SCENE_CASE("render.default.after_ring_reset", "commands.md 2", 0, default_after_reset),
    AGPU_SCENE_CASE("render.default.objects_gone_after_reset", "commands.md 2", 0, default_objects_gone),
};

AGPU_CASE_TABLE(agpu_cases_render_default, render_default_cases);
