/* test_draw.c: topologies and fixed-function state: what is drawn, against images in closed form. */
#include "tests/unit/render/scene.h"

#include <string.h>

static const struct vertex quad_white[] = {{-1, 1, 0.5f, 1, 1, 1, 1, 1},
                                           {1, 1, 0.5f, 1, 1, 1, 1, 1},
                                           {-1, -1, 0.5f, 1, 1, 1, 1, 1},
                                           {1, -1, 0.5f, 1, 1, 1, 1, 1}};

/* A strip of one colour over all of the target at a depth. */
static void full(struct vertex quad[4], float z, float r, float g, float b, float a)
{
    memcpy(quad, quad_white, sizeof quad_white);
    for (uint32_t i = 0; i < 4; i++) {
        quad[i].z = z;
        quad[i].r = r;
        quad[i].g = g;
        quad[i].b = b;
        quad[i].a = a;
    }
}

static void begin_color(struct render_scene *scene, const struct vertex *vertices, uint32_t count,
                        uint32_t topology)
{
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    scene_vertices(scene, vertices, count);
    scene_topology(scene, topology);
}

static void covers_the_target(void **state)
{
    struct render_scene *scene = *state;

    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_color_4_0);
    scene_draw(scene, 3);
    scene_expect_all(scene, WHITE, 0);
}

static void shader_model_5(void **state)
{
    struct render_scene *scene = *state;

    scene_shaders(scene, &agpu_vs_color_5_0, &agpu_ps_color_5_0);
    scene_vertices(scene, quad_white, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
}

/* Red grows from 0 at the left edge to 1 at the right one, green from 0 at the top to 1 at the bottom. */
static uint32_t gradient(uint32_t x, uint32_t y)
{
    return RGBA((x + 0.5) / TARGET * 255 + 0.5, (y + 0.5) / TARGET * 255 + 0.5, 0, 255);
}

static void interpolates(void **state)
{
    struct render_scene *scene = *state;
    struct vertex quad[4];

    full(quad, 0.5f, 0, 0, 0, 1);
    quad[1].r = quad[3].r = 1;
    quad[2].g = quad[3].g = 1;
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_draw(scene, 4);
    scene_expect(scene, gradient, 1);
}

/* Edges through pixel centres belong to the triangle on whose left or top they are: each pixel is drawn
 * once. */
static void top_left_rule(void **state)
{
    struct render_scene *scene = *state;
    struct vertex quad[4];

    full(quad, 0.5f, 0.25f, 0.25f, 0.25f, 0.25f);
    struct vertex two[6] = {quad[0], quad[1], quad[2], quad[2], quad[1], quad[3]};
    begin_color(scene, two, 6, AEROGPU_TOPOLOGY_TRIANGLELIST);
    struct aerogpu_blend_state *blend = scene_blend(scene);
    blend->enable = 1;
    blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    scene_draw(scene, 6);
    scene_expect_all(scene, RGBA(64, 64, 64, 64), 1);
}

static uint32_t left_half_red(uint32_t x, uint32_t y)
{
    (void)y;
    return x < TARGET / 2 ? RED : NOTHING;
}

static void triangle_list_indexed(void **state)
{
    struct render_scene *scene = *state;
    static const struct vertex vertices[] = {{9, 9, 9, 1, 0, 0, 0, 0},
                                             {-1, 1, 0.5f, 1, 1, 0, 0, 1},
                                             {0, 1, 0.5f, 1, 1, 0, 0, 1},
                                             {-1, -1, 0.5f, 1, 1, 0, 0, 1},
                                             {0, -1, 0.5f, 1, 1, 0, 0, 1}};
    static const uint32_t indices[] = {99, 3, 4, 5, 5, 4, 6};

    begin_color(scene, vertices, 5, AEROGPU_TOPOLOGY_TRIANGLELIST);
    scene_indices(scene, indices, 7);
    struct aerogpu_cmd_draw_indexed *draw = scene_draw_indexed(scene, 6);
    draw->first_index = 1;
    draw->base_vertex = -2;
    scene_expect(scene, left_half_red, 0);
}

static void indices_of_16_bits(void **state)
{
    struct render_scene *scene = *state;
    static const uint16_t indices[] = {7, 0, 1, 2, 2, 1, 3, 0};

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLELIST);
    scene_buffer(scene, INDICES, indices, sizeof indices);
    struct aerogpu_cmd_set_index_buffer *set =
        STREAM_PACKET(scene->driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer);
    set->buffer = INDICES;
    set->format = AEROGPU_INDEX_FORMAT_UINT16;
    set->offset_bytes = 2;
    scene_draw_indexed(scene, 6);
    scene_expect_all(scene, WHITE, 0);
}

/* Indices behind the end of the buffer read 0: the second triangle is 2, 0, 0 and draws nothing. */
static uint32_t upper_left(uint32_t x, uint32_t y)
{
    return x + y < TARGET - 1 ? WHITE : NOTHING;
}

static void indices_behind_the_end(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t indices[] = {0, 1, 2, 2};
    struct vertex quad[4];

    memcpy(quad, quad_white, sizeof quad);
    /* Moved by less than half a pixel, so that no centre is on the diagonal. */
    quad[1].x = 0.99f;
    quad[2].y = -0.99f;
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLELIST);
    scene_indices(scene, indices, 4);
    scene_draw_indexed(scene, 300);
    scene_expect(scene, upper_left, 0);
}

static void vertices_behind_the_end(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 3, AEROGPU_TOPOLOGY_TRIANGLELIST);
    scene_draw(scene, 3000);
    scene_run(scene);
}

static void strip_restarts(void **state)
{
    struct render_scene *scene = *state;
    static const struct vertex vertices[] = {{-1, 1, 0, 1, 1, 0, 0, 1},     {-0.5f, 1, 0, 1, 1, 0, 0, 1},
                                             {-1, -1, 0, 1, 1, 0, 0, 1},    {-0.5f, -1, 0, 1, 1, 0, 0, 1},
                                             {-0.5f, 1, 0, 1, 1, 0, 0, 1},  {0, 1, 0, 1, 1, 0, 0, 1},
                                             {-0.5f, -1, 0, 1, 1, 0, 0, 1}, {0, -1, 0, 1, 1, 0, 0, 1}};
    static const uint32_t indices[] = {0, 1, 2, 3, UINT32_MAX, 4, 5, 6, 7};

    begin_color(scene, vertices, 8, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_indices(scene, indices, 9);
    scene_draw_indexed(scene, 9);
    scene_expect(scene, left_half_red, 0);
}

static void triangle_fan(void **state)
{
    struct render_scene *scene = *state;
    struct vertex fan[4] = {quad_white[0], quad_white[1], quad_white[3], quad_white[2]};

    begin_color(scene, fan, 4, AEROGPU_TOPOLOGY_TRIANGLEFAN);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
}

/* Clip coordinates of the centre of a pixel. */
static float centre(uint32_t pixel)
{
    return ((float)pixel + 0.5f) * 2 / TARGET - 1;
}

static uint32_t two_points(uint32_t x, uint32_t y)
{
    return x == 3 && y == 5 ? RED : x == 12 && y == 9 ? GREEN : NOTHING;
}

static void points(void **state)
{
    struct render_scene *scene = *state;
    struct vertex two[2] = {{centre(3), -centre(5), 0, 1, 1, 0, 0, 1},
                            {centre(12), -centre(9), 0, 1, 0, 1, 0, 1}};

    begin_color(scene, two, 2, AEROGPU_TOPOLOGY_POINTLIST);
    scene_draw(scene, 2);
    scene_expect(scene, two_points, 0);
}

/* A horizontal line from the centre of pixel 2 to that of pixel 10 does not draw its last pixel. */
static uint32_t a_line(uint32_t x, uint32_t y)
{
    return y == 4 && x >= 2 && x < 10 ? WHITE : NOTHING;
}

static void lines(void **state)
{
    struct render_scene *scene = *state;
    struct vertex two[2] = {{centre(2), -centre(4), 0, 1, 1, 1, 1, 1},
                            {centre(10), -centre(4), 0, 1, 1, 1, 1, 1}};

    begin_color(scene, two, 2, AEROGPU_TOPOLOGY_LINELIST);
    scene_draw(scene, 2);
    scene_expect(scene, a_line, 0);
}

static void line_strip(void **state)
{
    struct render_scene *scene = *state;
    struct vertex three[3] = {{centre(2), -centre(4), 0, 1, 1, 1, 1, 1},
                              {centre(6), -centre(4), 0, 1, 1, 1, 1, 1},
                              {centre(10), -centre(4), 0, 1, 1, 1, 1, 1}};

    begin_color(scene, three, 3, AEROGPU_TOPOLOGY_LINESTRIP);
    scene_draw(scene, 3);
    scene_expect(scene, a_line, 0);
}

/* quad_white as a strip is clockwise with y down, which is front by default. */
static void culls(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_raster(scene, AEROGPU_CULL_FRONT, 0, 0);
    scene_draw(scene, 4);
    scene_raster(scene, AEROGPU_CULL_BACK, 1, 0);
    scene_draw(scene, 4);
    scene_expect_all(scene, NOTHING, 0);
    scene_raster(scene, AEROGPU_CULL_BACK, 0, 0);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
}

static void culls_the_other_way(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_raster(scene, AEROGPU_CULL_FRONT, 1, 0);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
}

static uint32_t inner(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 10 && y >= 2 && y < 7 ? WHITE : NOTHING;
}

static void viewport(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_viewport(scene, 4, 2, 6, 5, 0, 1);
    scene_draw(scene, 4);
    scene_expect(scene, inner, 0);
}

static void viewport_partly_outside(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_viewport(scene, -100, -100, 1000, 1000, 0, 1);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
    scene_viewport(scene, 0, 0, 0, 0, 0, 0);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
}

static void scissor(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_raster(scene, AEROGPU_CULL_NONE, 0, 1);
    scene_scissor(scene, 4, 2, 6, 5);
    scene_draw(scene, 4);
    scene_expect(scene, inner, 0);
    /* Clipped to nothing: nothing is drawn. */
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_scissor(scene, 1000, 0, 5, 5);
    scene_draw(scene, 4);
    scene_expect_all(scene, NOTHING, 0);
}

static uint32_t corner(uint32_t x, uint32_t y)
{
    return x < 3 && y < 2 ? WHITE : NOTHING;
}

static void scissor_with_negative_origin(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_raster(scene, AEROGPU_CULL_NONE, 0, 1);
    scene_scissor(scene, -5, -2000000000, 8, 2000000002);
    scene_draw(scene, 4);
    scene_expect(scene, corner, 0);
}

static void blends(void **state)
{
    struct render_scene *scene = *state;
    struct vertex quad[4];

    full(quad, 0.5f, 1, 0.5f, 0, 0.25f);
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    add_clear(scene->driver, 1, 0, 0.5f, 1, 1);
    struct aerogpu_blend_state *blend = scene_blend(scene);
    blend->enable = 1;
    blend->src_factor = AEROGPU_BLEND_SRC_ALPHA;
    blend->dst_factor = AEROGPU_BLEND_INV_SRC_ALPHA;
    blend->src_factor_alpha = AEROGPU_BLEND_ZERO;
    blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
    scene_draw(scene, 4);
    scene_expect_all(scene, RGBA(64, 128, 191, 255), 1);
}

static void blends_by_constant(void **state)
{
    struct render_scene *scene = *state;
    struct vertex quad[4];

    full(quad, 0.5f, 1, 1, 1, 1);
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    struct aerogpu_blend_state *blend = scene_blend(scene);
    blend->enable = 1;
    blend->src_factor = blend->src_factor_alpha = AEROGPU_BLEND_CONSTANT;
    for (uint32_t i = 0; i < 4; i++) {
        blend->blend_constant_rgba_f32[i] = f32(0.2f * (float)(i + 1));
    }
    scene_draw(scene, 4);
    scene_expect_all(scene, RGBA(51, 102, 153, 204), 1);
}

static void blend_operations(void **state)
{
    static const struct {
        uint32_t op, result;
    } cases[] = {{AEROGPU_BLEND_OP_ADD, RGBA(255, 153, 255, 255)},
                 {AEROGPU_BLEND_OP_SUBTRACT, RGBA(0, 51, 0, 0)},
                 {AEROGPU_BLEND_OP_REV_SUBTRACT, RGBA(102, 0, 0, 0)},
                 {AEROGPU_BLEND_OP_MIN, RGBA(102, 51, 255, 255)},
                 {AEROGPU_BLEND_OP_MAX, RGBA(204, 102, 255, 255)}};
    struct render_scene *scene = *state;
    struct vertex quad[4];
    full(quad, 0.5f, 0.4f, 0.4f, 1, 1);
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_clear(scene->driver, 1, 0.8f, 0.2f, 1, 1);
        struct aerogpu_blend_state *blend = scene_blend(scene);
        blend->enable = 1;
        blend->dst_factor = blend->dst_factor_alpha = AEROGPU_BLEND_ONE;
        blend->blend_op = blend->blend_op_alpha = cases[i].op;
        scene_draw(scene, 4);
        scene_expect_all(scene, cases[i].result, 1);
    }
}

static void masks_channels(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_blend(scene)->color_write_mask = 5;
    scene_draw(scene, 4);
    scene_expect_all(scene, RGBA(255, 0, 255, 0), 0);
}

static void sample_mask(void **state)
{
    struct render_scene *scene = *state;

    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_blend(scene)->sample_mask = 0xfffffffe;
    scene_draw(scene, 4);
    scene_expect_all(scene, NOTHING, 0);
}

/* Each comparison against a stored depth of one half, at three depths. */
static void depth_functions(void **state)
{
    struct render_scene *scene = *state;
    static const uint8_t passes[8] = {0, 1, 2, 3, 4, 5, 6, 7}; /* bit 0 less, 1 equal, 2 greater */

    for (uint32_t format = 0; format < 2; format++) {
        uint32_t texture = 30 + format;

        add_texture(scene->driver, texture,
                    format ? AEROGPU_FORMAT_D32_FLOAT : AEROGPU_FORMAT_D24_UNORM_S8_UINT, TARGET, TARGET, 0);
        for (uint32_t func = 0; func < 8; func++) {
            for (uint32_t at = 0; at < 3; at++) {
                struct vertex quad[4];

                full(quad, 0.25f * (float)(at + 1), 1, 1, 1, 1);
                if (format + func + at == 0) {
                    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
                } else {
                    add_upload(scene->driver, VERTICES, 0, quad, sizeof quad);
                }
                add_targets(scene->driver, COLOR, texture);
                struct aerogpu_cmd_clear *clear = add_clear(scene->driver, 7, 0, 0, 0, 0);
                clear->depth_f32 = f32(0.5f);
                scene_depth(scene, 1, 1, func);
                scene_draw(scene, 4);
                scene_expect_all(scene, passes[func] >> at & 1 ? WHITE : NOTHING, 0);
            }
        }
    }
}

static void depth_is_written(void **state)
{
    struct render_scene *scene = *state;
    uint32_t pixels[TARGET * TARGET];
    struct vertex quad[4];

    full(quad, 0.75f, 1, 1, 1, 1);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, TARGET, TARGET, 0);
    add_texture(scene->driver, 31, AEROGPU_FORMAT_D32_FLOAT, TARGET, TARGET, 0);
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_depth(scene, 1, 1, AEROGPU_COMPARE_ALWAYS);
    for (uint32_t format = 0; format < 2; format++) {
        add_targets(scene->driver, COLOR, 30 + format);
        add_clear(scene->driver, 7, 0, 0, 0, 0)->stencil = 0xa5;
        scene_viewport(scene, 0, 0, TARGET, TARGET, 0.5f, 1);
        scene_draw(scene, 4);
        scene_read(scene, 30 + format, format ? AEROGPU_FORMAT_D32_FLOAT : AEROGPU_FORMAT_D24_UNORM_S8_UINT,
                   pixels);
        for (uint32_t i = 0; i < TARGET * TARGET; i++) {
            if (format) {
                assert_int_equal(pixels[i], f32(0.875f));
            } else {
                assert_int_equal(pixels[i] >> 24, 0xa5); /* draws keep the stencil */
                assert_in_range(pixels[i] & 0xffffff, 0xdffffe, 0xe00000);
            }
        }
    }
    /* Without enable nothing is tested or written. */
    add_clear(scene->driver, 7, 0, 0, 0, 0);
    scene_depth(scene, 0, 1, AEROGPU_COMPARE_NEVER);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
    scene_read(scene, 31, AEROGPU_FORMAT_D32_FLOAT, pixels);
    assert_int_equal(pixels[0], 0);
}

static void depth_clip(void **state)
{
    struct render_scene *scene = *state;
    struct vertex quad[4];

    full(quad, 1.5f, 1, 1, 1, 1);
    begin_color(scene, quad, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_draw(scene, 4);
    scene_expect_all(scene, NOTHING, 0);
    struct aerogpu_rasterizer_state *raster =
        &STREAM_PACKET(scene->driver, SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state)->state;
    raster->flags = AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
}

/* At a depth of one half 2^20 units are 1/16, of 24-bit depth as of floats. */
static void depth_bias(void **state)
{
    struct render_scene *scene = *state;
    uint32_t pixels[TARGET * TARGET];

    add_texture(scene->driver, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, TARGET, TARGET, 0);
    add_texture(scene->driver, 31, AEROGPU_FORMAT_D32_FLOAT, TARGET, TARGET, 0);
    begin_color(scene, quad_white, 4, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_depth(scene, 1, 1, AEROGPU_COMPARE_ALWAYS);
    struct aerogpu_rasterizer_state *raster =
        &STREAM_PACKET(scene->driver, SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state)->state;
    raster->depth_bias = 1 << 20;
    add_targets(scene->driver, COLOR, 30);
    scene_draw(scene, 4);
    add_targets(scene->driver, COLOR, 31);
    scene_draw(scene, 4);
    scene_read(scene, 31, AEROGPU_FORMAT_D32_FLOAT, pixels);
    assert_int_equal(pixels[7], f32(0.5625f));
    scene_read(scene, 30, AEROGPU_FORMAT_D24_UNORM_S8_UINT, pixels);
    assert_in_range(pixels[7] & 0xffffff, 0x8ffffe, 0x900002);
}

/* In wireframe the middle of a triangle stays empty. */
static void wireframe(void **state)
{
    struct render_scene *scene = *state;
    uint32_t pixels[TARGET * TARGET];

    begin_color(scene, quad_white, 3, AEROGPU_TOPOLOGY_TRIANGLELIST);
    struct aerogpu_rasterizer_state *raster =
        &STREAM_PACKET(scene->driver, SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state)->state;
    raster->fill_mode = AEROGPU_FILL_WIREFRAME;
    scene_draw(scene, 3);
    scene_read(scene, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
    assert_int_equal(pixels[4 * TARGET + 4], NOTHING);
    assert_int_equal(pixels[7 * TARGET + 8], WHITE); /* on the diagonal */
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(covers_the_target),
        SCENE(shader_model_5),
        SCENE(interpolates),
        SCENE(top_left_rule),
        SCENE(triangle_list_indexed),
        SCENE(indices_of_16_bits),
        SCENE(indices_behind_the_end),
        SCENE(vertices_behind_the_end),
        SCENE(strip_restarts),
        SCENE(triangle_fan),
        SCENE(points),
        SCENE(lines),
        SCENE(line_strip),
        SCENE(culls),
        SCENE(culls_the_other_way),
        SCENE(viewport),
        SCENE(viewport_partly_outside),
        SCENE(scissor),
        SCENE(scissor_with_negative_origin),
        SCENE(blends),
        SCENE(blends_by_constant),
        SCENE(blend_operations),
        SCENE(masks_channels),
        SCENE(sample_mask),
        SCENE(depth_functions),
        SCENE(depth_is_written),
        SCENE(depth_clip),
        SCENE(depth_bias),
        SCENE(wireframe),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
