/* test_shade.c: what shaders read and write: constants, textures, formats, several targets. */
#include "tests/unit/render/scene.h"

#include <string.h>

struct textured {
    float x, y, z, w, u, v;
};

static const struct vertex white[] = {{-1, 1, 0.5f, 1, 1, 1, 1, 1},
                                      {1, 1, 0.5f, 1, 1, 1, 1, 1},
                                      {-1, -1, 0.5f, 1, 1, 1, 1, 1},
                                      {1, -1, 0.5f, 1, 1, 1, 1, 1}};

/* The whole target with vs_vertex_id and a pixel shader that needs no input from it. */
static void begin_pixel(struct render_scene *scene, const struct agpu_shader_blob *ps)
{
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, ps);
}

/* A square over the target with texture coordinates from 0 to `most`. */
static void begin_textured(struct render_scene *scene, const struct agpu_shader_blob *vs,
                           const struct agpu_shader_blob *ps, float most)
{
    const struct textured quad[] = {
        {-1, 1, 0, 1, 0, 0}, {1, 1, 0, 1, most, 0}, {-1, -1, 0, 1, 0, most}, {1, -1, 0, 1, most, most}};
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {TEXCOORD, 0, 16, 0, 16, 0}};

    scene_shaders(scene, vs, ps);
    scene_buffer(scene, VERTICES, quad, sizeof quad);
    scene_vertex_buffer(scene, 0, VERTICES, sizeof *quad, 0);
    scene_layout(scene, LAYOUT, elements, 2);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

static uint32_t quarter(uint32_t x, uint32_t y)
{
    return x >= 8 && y < 8 ? RGBA(128, 64, 255, 255) : NOTHING;
}

/* Matrix and tint from two buffers, both at an offset. */
static void constant_buffers(void **state)
{
    struct render_scene *scene = *state;
    static const struct agpu_shader_blob *const shaders[] = {&agpu_vs_transform_4_0, &agpu_vs_transform_5_0};
    float data[64 + 20] = {0};
    /* To the upper right quarter: half the size, moved by one half. */
    static const float rows[16] = {0.5f, 0, 0, 0.5f, 0, 0.5f, 0, 0.5f, 0, 0, 1, 0, 0, 0, 0, 1};
    static const float tint[4] = {0.5f, 0.25f, 1, 1};

    memcpy(data + 64, rows, sizeof rows);
    memcpy(data + 4, tint, sizeof tint);
    scene_shader(scene, PS, &agpu_ps_color_4_0);
    scene_vertices(scene, white, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_buffer(scene, 40, data, sizeof data);
    scene_constants(scene, 0, 0, 40, 256, 64);
    scene_constants(scene, 0, 1, 40, 16, 16);
    for (uint32_t i = 0; i < 2; i++) {
        scene_shader(scene, VS + 50 + i, shaders[i]);
        scene_bind(scene, VS + 50 + i, PS, 0, 0, 0, 0);
        add_clear(scene->driver, 1, 0, 0, 0, 0);
        scene_draw(scene, 4);
        scene_expect(scene, quarter, 1);
    }
}

/* Without a buffer in slot 0 the constant registers are there; behind the end of a buffer constants are 0. */
static void constant_registers(void **state)
{
    struct render_scene *scene = *state;
    static const float color[4] = {0.2f, 0.4f, 0.6f, 0.8f}, half[2] = {0.6f, 0.2f};

    begin_pixel(scene, &agpu_ps_constant_4_0);
    struct aerogpu_cmd_set_shader_constants_f *set =
        stream_packet(scene->driver, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, sizeof *set + 16);
    set->stage = 1;
    set->vec4_count = 1;
    memcpy(set + 1, color, 16);
    scene_draw(scene, 3);
    scene_expect_all(scene, RGBA(51, 102, 153, 204), 1);
    scene_buffer(scene, 40, half, 8);
    scene_constants(scene, 1, 0, 40, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, RGBA(153, 51, 0, 0), 1);
    scene_constants(scene, 1, 0, 0, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, RGBA(51, 102, 153, 204), 1);
}

/* Constants change between two draws of one submission: each draw sees its own. */
static uint32_t halves(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 8 ? RED : GREEN;
}

static void constants_between_draws(void **state)
{
    struct render_scene *scene = *state;
    static const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};

    begin_pixel(scene, &agpu_ps_constant_5_0);
    scene_buffer(scene, 40, red, 16);
    scene_constants(scene, 1, 0, 40, 0, 0);
    scene_viewport(scene, 0, 0, 8, 16, 0, 1);
    scene_draw(scene, 3);
    add_upload(scene->driver, 40, 0, green, 16);
    scene_viewport(scene, 8, 0, 8, 16, 0, 1);
    scene_draw(scene, 3);
    scene_expect(scene, halves, 0);
}

/* A texture of 2x2: red green / blue white. */
static const uint32_t four[] = {RED, GREEN, BLUE, WHITE};

static uint32_t four_squares(uint32_t x, uint32_t y)
{
    return four[(x >= 8) + 2 * (y >= 8)];
}

static uint32_t four_wrapped(uint32_t x, uint32_t y)
{
    return four[(x / 4 & 1) + 2 * (y / 4 & 1)];
}

static uint32_t four_clamped(uint32_t x, uint32_t y)
{
    return four[(x >= 4) + 2 * (y >= 4)];
}

static uint32_t four_mirrored(uint32_t x, uint32_t y)
{
    return four[(x >= 4 && x < 12) + 2 * (y >= 4 && y < 12)];
}

static void samples_nearest(void **state)
{
    struct render_scene *scene = *state;

    begin_textured(scene, &agpu_vs_textured_4_0, &agpu_ps_textured_4_0, 1);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 0);
    add_upload(scene->driver, 30, 0, four, sizeof four);
    scene_texture(scene, 1, 0, 30);
    scene_draw(scene, 4); /* no sampler: nearest, clamp */
    scene_expect(scene, four_squares, 0);
    scene_sampler(scene, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    scene_draw(scene, 4);
    scene_expect(scene, four_squares, 0);
}

static void addresses(void **state)
{
    struct render_scene *scene = *state;
    static scene_image *const images[] = {four_clamped, four_wrapped, four_mirrored};

    begin_textured(scene, &agpu_vs_textured_5_0, &agpu_ps_textured_5_0, 2);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 2, 0);
    add_upload(scene->driver, 30, 0, four, sizeof four);
    scene_texture(scene, 1, 0, 30);
    for (uint32_t mode = 0; mode < 3; mode++) {
        scene_sampler(scene, 0, 50 + mode, AEROGPU_SAMPLER_FILTER_NEAREST, mode);
        scene_draw(scene, 4);
        scene_expect(scene, images[mode], 0);
    }
}

/* Linear between the two texels' centres at u = 1/4 and 3/4. */
static uint32_t ramp(uint32_t x, uint32_t y)
{
    double u = (x + 0.5) / TARGET * 2 - 0.5;

    (void)y;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    return RGBA(u * 255 + 0.5, u * 255 + 0.5, u * 255 + 0.5, 255);
}

static void samples_linear(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t two[] = {RGBA(0, 0, 0, 255), WHITE};

    begin_textured(scene, &agpu_vs_textured_4_0, &agpu_ps_textured_4_0, 1);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 2, 1, 0);
    add_upload(scene->driver, 30, 0, two, sizeof two);
    scene_texture(scene, 1, 0, 30);
    scene_sampler(scene, 0, 50, AEROGPU_SAMPLER_FILTER_LINEAR, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    scene_draw(scene, 4);
    scene_expect(scene, ramp, 2);
}

static void samples_two_textures(void **state)
{
    struct render_scene *scene = *state;

    begin_textured(scene, &agpu_vs_textured_4_0, &agpu_ps_two_textures_4_0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        add_texture(scene->driver, 30 + i, AEROGPU_FORMAT_B8G8R8A8_UNORM, 1, 1, 0);
        add_upload(scene->driver, 30 + i, 0, i ? "\0\377\0\377" : "\0\0\377\377", 4);
        scene_texture(scene, 1, 1 + 2 * i, 30 + i);
    }
    scene_draw(scene, 4);
    scene_expect(scene, halves, 0);
}

static void unbound_reads_zero(void **state)
{
    struct render_scene *scene = *state;

    begin_textured(scene, &agpu_vs_textured_4_0, &agpu_ps_textured_4_0, 1);
    add_clear(scene->driver, 1, 1, 1, 1, 1);
    scene_draw(scene, 4);
    scene_expect_all(scene, NOTHING, 0);
}

static void mip_levels(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t level_0[16] = {RED, RED, RED, RED, RED, RED, RED, RED,
                                         RED, RED, RED, RED, RED, RED, RED, RED};
    static const uint32_t level_1[4] = {GREEN, GREEN, GREEN, GREEN}, level_2[1] = {BLUE};
    static const uint32_t colors[] = {RED, GREEN, BLUE};

    begin_textured(scene, &agpu_vs_textured_4_0, &agpu_ps_sample_level_4_0, 1);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0)->mip_levels = 3;
    add_upload(scene->driver, 30, 0, level_0, 64);
    add_upload(scene->driver, 30, 64, level_1, 16);
    add_upload(scene->driver, 30, 80, level_2, 4);
    scene_texture(scene, 1, 0, 30);
    add_buffer(scene->driver, 40, 16, 0);
    scene_constants(scene, 1, 0, 40, 0, 16);
    for (uint32_t i = 0; i < 3; i++) {
        float level[4] = {(float)i, 0, 0, 0};

        add_upload(scene->driver, 40, 0, level, 16);
        scene_draw(scene, 4);
        scene_expect_all(scene, colors[i], 0);
    }
}

/* One texel of each format, loaded without a sampler. */
static void texture_formats(void **state)
{
    struct render_scene *scene = *state;

    static const struct {
        uint32_t format;
        uint32_t texels[4];
        uint32_t color;
    } cases[] = {
        {AEROGPU_FORMAT_B8G8R8A8_UNORM, {RGBA(1, 2, 3, 4)}, RGBA(3, 2, 1, 4)},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM, {RGBA(1, 2, 3, 4)}, RGBA(3, 2, 1, 255)},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM, {RGBA(1, 2, 3, 4)}, RGBA(1, 2, 3, 4)},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM, {RGBA(1, 2, 3, 4)}, RGBA(1, 2, 3, 255)},
        /* 188 encodes one half, nearly. */
        {AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, {RGBA(188, 0, 255, 128)}, RGBA(128, 0, 255, 128)},
        {AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, {RGBA(188, 0, 255, 128)}, RGBA(255, 0, 128, 128)},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, {RGBA(188, 0, 255, 128)}, RGBA(128, 0, 255, 255)},
        {AEROGPU_FORMAT_B5G6R5_UNORM, {31u << 11 | 32u << 5 | 0}, RGBA(255, 130, 0, 255)},
        {AEROGPU_FORMAT_B5G5R5A1_UNORM, {1u << 15 | 16u << 10 | 31u}, RGBA(132, 0, 255, 255)},
        /* Both colours 31, 0, 0 in 5:6:5; all indices 0. */
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, {0xf800f800, 0}, RED},
        {AEROGPU_FORMAT_BC2_RGBA_UNORM, {0x88888888, 0x88888888, 0x07e007e0, 0}, RGBA(0, 255, 0, 136)},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM, {0x00008040, 0, 0x001f001f, 0}, RGBA(0, 0, 255, 64)},
        {AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, {0xf800f800, 0}, RED},
    };
    begin_pixel(scene, &agpu_ps_load_4_0);
    scene_viewport(scene, 0, 0, 1, 1, 0, 1);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t pixels[TARGET * TARGET];
        bool block = cases[i].format >= AEROGPU_FORMAT_BC1_RGBA_UNORM;
        bool small = cases[i].format == AEROGPU_FORMAT_B5G6R5_UNORM ||
                     cases[i].format == AEROGPU_FORMAT_B5G5R5A1_UNORM;
        uint32_t bytes = !block                                                  ? small ? 2 : 4
                         : cases[i].format <= AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB ? 8
                                                                                 : 16;

        add_texture(scene->driver, 100 + i, cases[i].format, block ? 4 : 1, block ? 4 : 1, 0);
        add_upload(scene->driver, 100 + i, 0, cases[i].texels, bytes);
        scene_texture(scene, 1, 0, 100 + i);
        scene_draw(scene, 3);
        scene_read(scene, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
        print_message("format %u: %08x\n", cases[i].format, pixels[0]);
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            uint32_t found = pixels[0] >> shift & 255, wanted = cases[i].color >> shift & 255;

            assert_in_range(found + 1, wanted, wanted + 2);
        }
    }
}

/* Draws one half of everything into each colour format. */
static void target_formats(void **state)
{
    struct render_scene *scene = *state;
    static const float half[4] = {0.5f, 0.25f, 1, 0.5f};

    static const struct {
        uint32_t format, texel, tolerance;
    } cases[] = {
        {AEROGPU_FORMAT_B8G8R8A8_UNORM, RGBA(255, 64, 128, 128), 1},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM, RGBA(255, 64, 128, 255), 1},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM, RGBA(128, 64, 255, 255), 1},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, RGBA(188, 137, 255, 128), 1},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, RGBA(255, 137, 188, 255), 1},
    };
    begin_pixel(scene, &agpu_ps_constant_4_0);
    scene_buffer(scene, 40, half, 16);
    scene_constants(scene, 1, 0, 40, 0, 16);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t pixels[TARGET * TARGET];

        add_texture(scene->driver, 100 + i, cases[i].format, TARGET, TARGET, 0);
        add_targets(scene->driver, 100 + i, 0);
        scene_draw(scene, 3);
        scene_read(scene, 100 + i, cases[i].format, pixels);
        print_message("format %u: %08x\n", cases[i].format, pixels[0]);
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            uint32_t found = pixels[77] >> shift & 255, wanted = cases[i].texel >> shift & 255;

            assert_in_range(found + 1, wanted, wanted + 2);
        }
    }
}

static void target_formats_of_16_bits(void **state)
{
    struct render_scene *scene = *state;
    static const float color[4] = {1, 0.5f, 0, 1};
    static const uint32_t formats[] = {AEROGPU_FORMAT_B5G6R5_UNORM, AEROGPU_FORMAT_B5G5R5A1_UNORM};

    begin_pixel(scene, &agpu_ps_constant_4_0);
    scene_buffer(scene, 40, color, 16);
    scene_constants(scene, 1, 0, 40, 0, 16);
    for (uint32_t i = 0; i < 2; i++) {
        uint16_t pixels[TARGET * TARGET];

        add_texture(scene->driver, 100 + i, formats[i], TARGET, TARGET, 0);
        add_targets(scene->driver, 100 + i, 0);
        scene_draw(scene, 3);
        scene_run(scene);
        read_texture(scene->driver, 100 + i, formats[i], TARGET, TARGET, pixels);
        stream_begin(scene->driver);
        if (i == 0) {
            assert_in_range(pixels[9], 31 << 11 | 31 << 5, 31 << 11 | 32 << 5);
        } else {
            assert_in_range(pixels[9], 1 << 15 | 31 << 10 | 15 << 5, 1 << 15 | 31 << 10 | 16 << 5);
        }
    }
}

static void eight_targets(void **state)
{
    struct render_scene *scene = *state;

    begin_pixel(scene, &agpu_ps_targets_4_0);
    struct aerogpu_cmd_set_render_targets *targets =
        STREAM_PACKET(scene->driver, SET_RENDER_TARGETS, aerogpu_cmd_set_render_targets);
    targets->color_count = 8;
    for (uint32_t i = 0; i < 8; i++) {
        add_texture(scene->driver, 100 + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    }
    targets = STREAM_PACKET(scene->driver, SET_RENDER_TARGETS, aerogpu_cmd_set_render_targets);
    targets->color_count = 8;
    for (uint32_t i = 0; i < 8; i++) {
        targets->colors[i] = i == 3 ? 0 : 100 + i; /* a gap */
    }
    scene_draw(scene, 3);
    scene_run(scene);
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t pixels[TARGET * TARGET], red = (i + 1) * 32 - (i + 1) / 8;

        scene_read(scene, 100 + i, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
        if (i == 3) {
            assert_int_equal(pixels[5], 0);
        } else {
            assert_in_range(pixels[5] & 255, red - 1, red + 1);
        }
    }
}

/* A pixel shader that writes target 0 only leaves target 1 as it is; without one nothing but depth
 * changes. */
static void unwritten_targets_stay(void **state)
{
    struct render_scene *scene = *state;
    uint32_t pixels[TARGET * TARGET];

    begin_pixel(scene, &agpu_ps_color_4_0);
    add_texture(scene->driver, 100, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    add_texture(scene->driver, 101, AEROGPU_FORMAT_D32_FLOAT, TARGET, TARGET, 0);
    struct aerogpu_cmd_set_render_targets *targets =
        STREAM_PACKET(scene->driver, SET_RENDER_TARGETS, aerogpu_cmd_set_render_targets);
    targets->color_count = 2;
    targets->colors[0] = COLOR;
    targets->colors[1] = 100;
    targets->depth_stencil = 101;
    add_clear(scene->driver, 7, 1, 0, 0, 1);
    scene_depth(scene, 1, 1, AEROGPU_COMPARE_ALWAYS);
    scene_draw(scene, 3);
    scene_read(scene, 100, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
    assert_int_equal(pixels[0], RED);
    scene_expect_all(scene, WHITE, 0);
    add_clear(scene->driver, 7, 1, 0, 0, 1);
    scene_bind(scene, VS, 0, 0, 0, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, RED, 0);
    scene_read(scene, 101, AEROGPU_FORMAT_D32_FLOAT, pixels);
    assert_int_equal(pixels[0], f32(0.5f));
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(constant_buffers),
        SCENE(constant_registers),
        SCENE(constants_between_draws),
        SCENE(samples_nearest),
        SCENE(addresses),
        SCENE(samples_linear),
        SCENE(samples_two_textures),
        SCENE(unbound_reads_zero),
        SCENE(mip_levels),
        SCENE(texture_formats),
        SCENE(target_formats),
        SCENE(target_formats_of_16_bits),
        SCENE(eight_targets),
        SCENE(unwritten_targets_stay),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
