/* shader.c: the effect of each kind of graphics shader, and constants (commands.md 7, 10). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"

#define EDGE  AGPU_EDGE
#define STRIP AEROGPU_TOPOLOGY_TRIANGLESTRIP
#define VS    AEROGPU_SHADER_STAGE_VERTEX
#define PS    AEROGPU_SHADER_STAGE_PIXEL

/* ---- shaders ---- */

/* Shaders of model 5.0 must draw like those of 4.0. */
static void model_5(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_shader(agpu_rig_of(t), 60, &agpu_vs_color_5_0);
    agpu_put_shader(agpu_rig_of(t), 61, &agpu_ps_color_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = 60, .ps = 61});
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_WHITE, 0);
}

/* BIND_SHADERS without gs, hs and ds must work: with 24 bytes reserved0 is the geometry shader, 0 here; with 28 and 32
 * bytes reserved0 and the rest are ignored. */
static void short_bind(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t size = 24; size <= 32; size += 4) {
        struct aerogpu_cmd_bind_shaders *bind;

        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){0});
        bind = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_BIND_SHADERS, size);
        bind->vs = AGPU_VS;
        bind->ps = AGPU_PS;
        if (size > sizeof *bind) {
            bind->reserved0 = 99; /* no shader has these handles */
            memset(bind + 1, 99, size - sizeof *bind);
        }
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    }
}

static uint32_t right_half(uint32_t x, uint32_t y)
{
    (void)y;
    return x < EDGE / 2 ? AGPU_NOTHING : AGPU_RGBA((2 * x + 1) * 255 / (2 * EDGE), 0, 0, 255);
}

/* Texels that the pixel shader discards must keep their colour; the others are drawn. */
static void shader_discards(struct agpu_test *t)
{
    struct agpu_vertex quad[4];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_quad(quad, 0.5f, 0, 0, 0, 1);
    quad[1].r = quad[3].r = 1;
    agpu_scene_color(t, quad, 4, STRIP);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_discard_4_0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, right_half, 1);
}

/* A depth value that the pixel shader writes must replace that of the vertices. */
static void depth_output(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 0.125f);
    agpu_scene_shaders(t, &agpu_vs_color_4_0, &agpu_ps_depth_4_0);
    agpu_put_target(agpu_rig_of(t), 30, AEROGPU_FORMAT_D32_FLOAT, EDGE, EDGE);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 30);
    agpu_put_depth_state(agpu_rig_of(t), 1, 1, AEROGPU_COMPARE_ALWAYS);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_WHITE, 0));
    agpu_expect_depth(t, 30, AEROGPU_FORMAT_D32_FLOAT, UINT32_MAX, agpu_float_bits(0.125f),
                      agpu_float_bits(0.125f));
}

static uint32_t shader_integers(uint32_t x, uint32_t y)
{
    int a = (int)x - (int)y;

    return AGPU_RGBA((x * 7 + y * 13) & 255, (x ^ y << 3) & 255, ((x + 1) * (y + 1) / 3 + x % 5) & 255,
                     (a > -3 ? a : -3) + 128);
}

/* Integer operations of shader models 4.0 and 5.0 must give the same exact results. */
static void integer_operations(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_integer_4_0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect(t, shader_integers, 0));
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_scene_pixel(t, &agpu_ps_integer_5_0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, shader_integers, 0);
}

/* A loop must run as often as its count from a constant buffer demands, and end early at the limit. */
static void shader_loops(struct agpu_test *t)
{
    struct {
        float step[4];
        uint32_t count;
        float limit;
        uint32_t pad[2];
    } how = {{1 / 16.f, 1 / 32.f, 0, 1 / 8.f}, 4, 100, {0}};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_loop_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, &how, sizeof how);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RGBA(64, 32, 0, 128), 1));
    how.count = 1000;
    how.limit = 0.5f; /* left after 8 rounds */
    agpu_put_upload(agpu_rig_of(t), 40, 0, &how, sizeof how);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_RGBA(128, 64, 0, 255), 1);
}

/* Vertices and colours from arrays that the shader indexes. */
static uint32_t table_image(uint32_t x, uint32_t y)
{
    return AGPU_RGBA((2 * x + 1) * 255 / (2 * EDGE), (2 * y + 1) * 255 / (2 * EDGE), 0, 255);
}

/* A vertex shader must read its positions and colours from an immediate table by index, in models 4.0 and 5.0. */
static void shader_tables(struct agpu_test *t)
{
    static const struct agpu_shader_blob *const shaders[] = {&agpu_vs_table_4_0, &agpu_vs_table_5_0};

    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < 2; i++) {
        agpu_scene_shaders(t, shaders[i], &agpu_ps_color_4_0);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect(t, table_image, 1));
    }
}

static uint32_t middle_square(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 12 && y >= 4 && y < 12 ? AGPU_RED : AGPU_NOTHING;
}

/* Given a single point, a geometry shader of model 4.0 or 5.0 must expand it to a square. */
static void shader_geometry(struct agpu_test *t)
{
    static const struct agpu_vertex point = {0, 0, 0, 1, 1, 0, 0, 1};
    static const struct agpu_shader_blob *const shaders[] = {&agpu_gs_expand_4_0, &agpu_gs_expand_5_0};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, &point, 1, AEROGPU_TOPOLOGY_POINTLIST);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_shader(agpu_rig_of(t), 60 + i, shaders[i]);
        agpu_put_bind_shaders(agpu_rig_of(t),
                              &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = 60 + i});
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_draw(agpu_rig_of(t), 1);
        agpu_return_unless(agpu_expect(t, middle_square, 0));
    }
}

/* A geometry shader must work if it is created by stage_ex and bound by the short packet's reserved0. */
static void geometry_by_stage_ex(struct agpu_test *t)
{
    static const struct agpu_vertex point = {0, 0, 0, 1, 1, 0, 0, 1};
    struct aerogpu_cmd_bind_shaders *bind;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, &point, 1, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_shader_bytes(agpu_rig_of(t), 60, AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_GEOMETRY,
                          agpu_gs_expand_4_0.words, agpu_gs_expand_4_0.size_bytes);
    bind = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_BIND_SHADERS, sizeof *bind);
    bind->vs = AGPU_VS;
    bind->ps = AGPU_PS;
    bind->reserved0 = 60;
    agpu_put_draw(agpu_rig_of(t), 1);
    agpu_expect(t, middle_square, 0);
}

/* ---- resources of stages before the pixel shader ---- */

/* The strip's vertices 0 to 3 from a buffer, their colours from a texture: three are red, the last is blue. */
static uint32_t red_to_blue(uint32_t x, uint32_t y)
{
    uint32_t sum = 2 * x + 1 + 2 * y + 1; /* 4 * EDGE at the last one's corner */
    uint32_t v = sum <= 2 * EDGE ? 0 : (sum - 2 * EDGE) * 255 / (2 * EDGE);

    return AGPU_RGBA(255 - v, 0, v, 255);
}

/* A vertex shader must read its own texture, sampler and buffer view, also while the pixel shader's slots of these
 * numbers are empty. */
static void vertex_resources(struct agpu_test *t)
{
    static const float positions[4][4] = {
        {-1, 1, 0.5f, 1}, {1, 1, 0.5f, 1}, {-1, -1, 0.5f, 1}, {1, -1, 0.5f, 1}};
    static const uint32_t colors[4] = {AGPU_RED, AGPU_RED, AGPU_RED, AGPU_BLUE};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_shaders(t, &agpu_vs_fetch_4_0, &agpu_ps_color_4_0);
    agpu_put_create_texture(agpu_rig_of(t), 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 1, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, colors, sizeof colors);
    agpu_put_texture_slot(agpu_rig_of(t), VS, 2, 30);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_sampler_slot(agpu_rig_of(t), VS, 1, 50);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, positions, sizeof positions);
    agpu_put_srv(agpu_rig_of(t), VS, 3, 40, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect(t, red_to_blue, 1));
    /* The pixel shader's slots of these numbers hold others. */
    agpu_put_texture_slot(agpu_rig_of(t), PS, 2, 0);
    agpu_put_srv(agpu_rig_of(t), PS, 3, 0, 0, 0);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, red_to_blue, 1);
}

/* A geometry shader must read its own constant buffer, and stage_ex must name the same slot. */
static void geometry_constants(struct agpu_test *t)
{
    static const struct agpu_vertex point = {0, 0, 0, 1, 1, 0, 0, 1};
    static const float size[4] = {1};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, &point, 1, AEROGPU_TOPOLOGY_POINTLIST);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, size, sizeof size);
    agpu_put_constants_of(agpu_rig_of(t), AEROGPU_SHADER_STAGE_GEOMETRY, 0, 1, 40);
    agpu_put_shader(agpu_rig_of(t), AGPU_GS, &agpu_gs_sized_4_0);
    agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .gs = AGPU_GS});
    agpu_put_draw(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_expect(t, middle_square, 0));
    /* The same slot by stage_ex: unbound, all squares have size 0. */
    agpu_put_constants_of(agpu_rig_of(t), AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_GEOMETRY, 1,
                          0);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 1);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* The hull shader's constant must cut or remove the patch; the domain shader's constant must colour it. */
static void tessellation_constants(struct agpu_test *t)
{
    static const float green[4] = {0, 1, 0, 1}, cuts[] = {1, 7, 64, 0};
    const struct agpu_vertex patch[3] = {
        {-1, 1, 0.5f, 1, 0, 0, 0, 1}, {3, 1, 0.5f, 1, 0, 0, 0, 1}, {-1, -3, 0.5f, 1, 0, 0, 0, 1}};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_color(t, patch, 3, AEROGPU_TOPOLOGY_PATCHLIST_3);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 16);
    agpu_put_filled_buffer(agpu_rig_of(t), 41, green, sizeof green);
    agpu_put_constants_of(agpu_rig_of(t), AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_HULL, 2, 40);
    agpu_put_constants_of(agpu_rig_of(t), AEROGPU_SHADER_STAGE_COMPUTE, AEROGPU_SHADER_STAGE_EX_DOMAIN, 3,
                          41);
    agpu_put_shader(agpu_rig_of(t), AGPU_HS, &agpu_hs_factors_5_0);
    agpu_put_shader(agpu_rig_of(t), AGPU_DS, &agpu_ds_tinted_5_0);
    agpu_put_bind_shaders(agpu_rig_of(t),
                          &(struct agpu_stages){.vs = AGPU_VS, .ps = AGPU_PS, .hs = AGPU_HS, .ds = AGPU_DS});
    for (uint32_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        agpu_put_upload(agpu_rig_of(t), 40, 0, &cuts[i], 4);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_draw(agpu_rig_of(t), 3);
        agpu_return_unless(agpu_expect_all(t, cuts[i] > 0 ? AGPU_GREEN : AGPU_NOTHING, 0));
    }
}

/* ---- constants ---- */

static uint32_t upper_right(uint32_t x, uint32_t y)
{
    return x >= 8 && y < 8 ? AGPU_RGBA(128, 64, 255, 255) : AGPU_NOTHING;
}

/* Given two ranges of one constant buffer, a vertex shader must read matrix and tint each from its own offset. */
static void constant_buffers(struct agpu_test *t)
{
    static const struct agpu_shader_blob *const shaders[] = {&agpu_vs_transform_4_0, &agpu_vs_transform_5_0};
    /* Half the size, moved up and right by a half; tint at byte 16, matrix at byte 256. */
    static const float rows[16] = {0.5f, 0, 0, 0.5f, 0, 0.5f, 0, 0.5f, 0, 0, 1, 0, 0, 0, 0, 1};
    static const float tint[4] = {0.5f, 0.25f, 1, 1};
    float data[84] = {0};

    memcpy(data + 64, rows, sizeof rows);
    memcpy(data + 4, tint, sizeof tint);
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, data, sizeof data);
    agpu_put_constants(agpu_rig_of(t), VS, 0, 40, 256, 64);
    agpu_put_constants(agpu_rig_of(t), VS, 1, 40, 16, 16);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_shader(agpu_rig_of(t), 60 + i, shaders[i]);
        agpu_put_bind_shaders(agpu_rig_of(t), &(struct agpu_stages){.vs = 60 + i, .ps = AGPU_PS});
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect(t, upper_right, 1));
    }
}

/* The float registers must be constant buffer 0 while no buffer is bound there, and again afterwards; constants after
 * the end of a buffer must be 0. */
static void constant_registers(struct agpu_test *t)
{
    static const float color[4] = {0.2f, 0.4f, 0.6f, 0.8f}, half[2] = {0.6f, 0.2f};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_registers(agpu_rig_of(t), PS, 0, 0, 1, color);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RGBA(51, 102, 153, 204), 1));
    agpu_put_filled_buffer(agpu_rig_of(t), 40, half, sizeof half);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RGBA(153, 51, 0, 0), 1));
    agpu_put_constants(agpu_rig_of(t), PS, 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RGBA(51, 102, 153, 204), 1));
    /* Starting at any word of a buffer. */
    agpu_put_filled_buffer(agpu_rig_of(t), 41, NULL, 64);
    agpu_put_upload(agpu_rig_of(t), 41, 20, color, sizeof color);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 41, 20, 0);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RGBA(51, 102, 153, 204), 1));
    agpu_put_constants(agpu_rig_of(t), PS, 0, 41, 24, 8);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_RGBA(102, 153, 0, 0), 1);
}

static uint32_t words_in_corner(uint32_t x, uint32_t y)
{
    return x < 4 && y < 4 && x + 4 * y >= 2 ? (x + 4 * y) * 0x01010101u : AGPU_NOTHING;
}

/* A buffer view must start at an odd word: its words 2 to 15 are numbers, the first two 0. */
static void buffer_view(struct agpu_test *t)
{
    uint32_t words[17];

    for (uint32_t i = 0; i < 17; i++) {
        words[i] = i < 3 ? 0 : (i - 1) * 0x01010101u;
    }
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_buffer_4_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, words, sizeof words);
    agpu_put_srv(agpu_rig_of(t), PS, 0, 40, 4, 0);
    agpu_put_viewport(agpu_rig_of(t), &(struct agpu_viewport){0, 0, 4, 4, 0, 1});
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect(t, words_in_corner, 0);
}

static const struct agpu_case render_shader_cases[] = {
    AGPU_SCENE_CASE("render.shader.model_5", "commands.md 7", 0, model_5),
    AGPU_SCENE_CASE("render.shader.short_bind", "commands.md 7", 0, short_bind),
    AGPU_SCENE_CASE("render.shader.discard", "commands.md 7", 0, shader_discards),
    AGPU_SCENE_CASE("render.shader.depth_output", "commands.md 7", 0, depth_output),
    AGPU_SCENE_CASE("render.shader.integer_operations", "commands.md 7", 0, integer_operations),
    AGPU_SCENE_CASE("render.shader.loop", "commands.md 7", 0, shader_loops),
    AGPU_SCENE_CASE("render.shader.tables", "commands.md 7", 0, shader_tables),
    AGPU_SCENE_CASE("render.shader.geometry", "commands.md 7", 0, shader_geometry),
    AGPU_SCENE_CASE("render.shader.geometry_by_stage_ex", "commands.md 4", 0, geometry_by_stage_ex),
    AGPU_SCENE_CASE("render.stage.vertex_resources", "commands.md 10", 0, vertex_resources),
    AGPU_SCENE_CASE("render.stage.geometry_constants", "commands.md 10", 0, geometry_constants),
    AGPU_SCENE_CASE("render.stage.tessellation_constants", "commands.md 10", 0, tessellation_constants),
    AGPU_SCENE_CASE("render.constants.buffers_with_offset", "commands.md 10", 0, constant_buffers),
    AGPU_SCENE_CASE("render.constants.registers", "commands.md 7", 0, constant_registers),
    AGPU_SCENE_CASE("render.buffer_view.with_offset", "commands.md 10", 0, buffer_view),
};

AGPU_CASE_TABLE(agpu_cases_render_shader, render_shader_cases);
