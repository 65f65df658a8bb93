/* test_stages.c: every kind of shader: what pixel, geometry, hull, domain and compute shaders do. */
#include "tests/unit/render/scene.h"

#include <string.h>

#include "tests/device/render/dxbc.h"
#include "tests/device/render/dxbc_checksum.h"

static const struct vertex white[] = {{-1, 1, 0.5f, 1, 1, 1, 1, 1},
                                      {1, 1, 0.5f, 1, 1, 1, 1, 1},
                                      {-1, -1, 0.5f, 1, 1, 1, 1, 1},
                                      {1, -1, 0.5f, 1, 1, 1, 1, 1}};

/* The whole target with vs_vertex_id and a pixel shader that needs no input from it. */
static void begin_pixel(struct render_scene *scene, const struct agpu_shader_blob *ps)
{
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, ps);
}

static uint32_t right_half(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 8 ? NOTHING : RGBA((x + 0.5) / TARGET * 255 + 0.5, 0, 0, 255);
}

static void discards(void **state)
{
    struct render_scene *scene = *state;
    struct vertex quad[4];

    memcpy(quad, white, sizeof quad);
    for (uint32_t i = 0; i < 4; i++) {
        quad[i].r = (float)(i & 1);
        quad[i].g = quad[i].b = 0;
    }
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_discard_4_0);
    scene_vertices(scene, quad, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_draw(scene, 4);
    scene_expect(scene, right_half, 1);
}

static void depth_output(void **state)
{
    struct render_scene *scene = *state;
    uint32_t pixels[TARGET * TARGET];
    struct vertex quad[4];

    memcpy(quad, white, sizeof quad);
    for (uint32_t i = 0; i < 4; i++) {
        quad[i].a = 0.125f;
    }
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_depth_4_0);
    scene_vertices(scene, quad, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_D32_FLOAT, TARGET, TARGET, 0);
    add_targets(scene->driver, COLOR, 30);
    scene_depth(scene, 1, 1, AEROGPU_COMPARE_ALWAYS);
    scene_draw(scene, 4);
    scene_expect_all(scene, WHITE, 0);
    scene_read(scene, 30, AEROGPU_FORMAT_D32_FLOAT, pixels);
    assert_int_equal(pixels[0], f32(0.125f));
}

static uint32_t integers(uint32_t x, uint32_t y)
{
    int a = (int)x - (int)y;

    return RGBA((x * 7 + y * 13) & 255, (x ^ (y << 3)) & 255, ((x + 1) * (y + 1) / 3 + x % 5) & 255,
                (a > -3 ? a : -3) + 128);
}

static void integer_operations(void **state)
{
    struct render_scene *scene = *state;

    begin_pixel(scene, &agpu_ps_integer_4_0);
    scene_draw(scene, 3);
    scene_expect(scene, integers, 0);
    begin_pixel(scene, &agpu_ps_integer_5_0);
    scene_draw(scene, 3);
    scene_expect(scene, integers, 0);
}

static void loops(void **state)
{
    struct render_scene *scene = *state;

    struct {
        float step[4];
        uint32_t count;
        float limit;
        uint32_t pad[2];
    } how = {{1 / 16.f, 1 / 32.f, 0, 1 / 8.f}, 4, 100, {0}};
    begin_pixel(scene, &agpu_ps_loop_4_0);
    scene_buffer(scene, 40, &how, sizeof how);
    scene_constants(scene, 1, 0, 40, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, RGBA(64, 32, 0, 128), 1);
    how.count = 1000;
    how.limit = 0.5f;
    add_upload(scene->driver, 40, 0, &how, sizeof how);
    scene_draw(scene, 3);
    scene_expect_all(scene, RGBA(128, 64, 0, 255), 1);
}

static uint32_t words_in_the_corner(uint32_t x, uint32_t y)
{
    return x < 4 && y < 4 && x + 4 * y >= 2 ? (x + 4 * y) * 0x01010101u : NOTHING;
}

/* A buffer as a shader resource, from an offset that is no multiple of 16 on; in front of and behind it:
 * 0. */
static void buffer_resources(void **state)
{
    struct render_scene *scene = *state;
    uint32_t words[17];

    for (uint32_t i = 0; i < 17; i++) {
        words[i] = i < 3 ? 0 : (i - 1) * 0x01010101u;
    }
    begin_pixel(scene, &agpu_ps_buffer_4_0);
    scene_buffer(scene, 40, words, sizeof words);
    scene_srv(scene, 1, 0, 40, 4, 0);
    scene_viewport(scene, 0, 0, 4, 4, 0, 1);
    scene_draw(scene, 3);
    scene_expect(scene, words_in_the_corner, 0);
    /* 8 bytes of it, as a buffer bound by SET_TEXTURE: both see the same words. */
    scene_texture(scene, 1, 0, 40);
    scene_draw(scene, 3);
    scene_run(scene);
}

static uint32_t middle_square(uint32_t x, uint32_t y)
{
    return x >= 4 && x < 12 && y >= 4 && y < 12 ? RED : NOTHING;
}

static void geometry_shader(void **state)
{
    struct render_scene *scene = *state;
    static const struct agpu_shader_blob *const shaders[] = {&agpu_gs_expand_4_0, &agpu_gs_expand_5_0};
    static const struct vertex point = {0, 0, 0, 1, 1, 0, 0, 1};

    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    scene_vertices(scene, &point, 1);
    scene_topology(scene, AEROGPU_TOPOLOGY_POINTLIST);
    for (uint32_t i = 0; i < 2; i++) {
        scene_shader(scene, 60 + i, shaders[i]);
        scene_bind(scene, VS, PS, 60 + i, 0, 0, 0);
        add_clear(scene->driver, 1, 0, 0, 0, 0);
        scene_draw(scene, 1);
        scene_expect(scene, middle_square, 0);
    }
}

static uint32_t upper_left(uint32_t x, uint32_t y)
{
    return x + y < TARGET - 1 ? WHITE : NOTHING;
}

static void adjacency(void **state)
{
    struct render_scene *scene = *state;
    /* The triangle that is drawn, its long edge moved off the pixel centres. */
    const struct vertex a = {-1, 1, 0, 1, 1, 1, 1, 1}, b = {0.99f, 1, 0, 1, 1, 1, 1, 1},
                        c = {-1, -0.99f, 0, 1, 1, 1, 1, 1}, no = {0, 0, 0, 1, 0, 0, 0, 0};
    struct vertex vertices[] = {a, b, no, c, no, a, no, b, no, c};

    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    scene_vertices(scene, vertices, 10);
    scene_shader(scene, GS, &agpu_gs_line_adj_4_0);
    scene_shader(scene, GS + 50, &agpu_gs_triangle_adj_4_0);
    scene_bind(scene, VS, PS, GS, 0, 0, 0);
    scene_topology(scene, AEROGPU_TOPOLOGY_LINELIST_ADJ);
    scene_draw(scene, 4);
    scene_expect(scene, upper_left, 0);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_topology(scene, AEROGPU_TOPOLOGY_LINESTRIP_ADJ);
    scene_draw(scene, 4);
    scene_expect(scene, upper_left, 0);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_bind(scene, VS, PS, GS + 50, 0, 0, 0);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ);
    struct aerogpu_cmd_draw *draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);
    draw->vertex_count = 6;
    draw->instance_count = 1;
    draw->first_vertex = 4;
    scene_expect(scene, upper_left, 0);
}

/* The patch covers more than the upper left half; its colour is where in the patch a pixel lies. */
static void tessellation(void **state)
{
    struct render_scene *scene = *state;
    static const struct vertex patch[] = {
        {-1, 1, 0, 1, 0, 0, 0, 0}, {3, 1, 0, 1, 0, 0, 0, 0}, {-1, -3, 0, 1, 0, 0, 0, 0}};
    uint32_t pixels[TARGET * TARGET];

    scene_shaders(scene, &agpu_vs_color_5_0, &agpu_ps_color_5_0);
    scene_shader(scene, HS, &agpu_hs_triangle_5_0);
    scene_shader(scene, DS, &agpu_ds_triangle_5_0);
    scene_bind(scene, VS, PS, 0, HS, DS, 0);
    scene_vertices(scene, patch, 3);
    scene_topology(scene, AEROGPU_TOPOLOGY_PATCHLIST_1 + 2);
    /* Culling shows which way round the triangles are: as the patch, clockwise, which is front. */
    scene_raster(scene, AEROGPU_CULL_BACK, 0, 0);
    scene_draw(scene, 3);
    scene_read(scene, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
    for (uint32_t y = 0; y < TARGET; y++) {
        for (uint32_t x = 0; x < TARGET; x++) {
            double v = (x + 0.5) / 32, w = (y + 0.5) / 32;
            uint32_t found = pixels[y * TARGET + x];

            assert_in_range((found & 255) + 1, (uint32_t)((1 - v - w) * 255),
                            (uint32_t)((1 - v - w) * 255) + 3);
            assert_in_range((found >> 8 & 255) + 1, (uint32_t)(v * 255), (uint32_t)(v * 255) + 3);
            assert_in_range((found >> 16 & 255) + 1, (uint32_t)(w * 255), (uint32_t)(w * 255) + 3);
            assert_int_equal(found >> 24, 255);
        }
    }
}

static void compute(void **state)
{
    struct render_scene *scene = *state;
    static const struct agpu_shader_blob *const shaders[] = {&agpu_cs_fill_4_0, &agpu_cs_fill_5_0};
    uint32_t words[256];

    for (uint32_t s = 0; s < 2; s++) {
        add_buffer(scene->driver, 40 + s, 1024, 0);
        scene_shader(scene, CS + 50 + s, shaders[s]);
        scene_bind(scene, 0, 0, 0, 0, 0, CS + 50 + s);
        scene_uav(scene, 0, 40 + s, 64, 0);
        scene_dispatch(scene, 3, 1, 1);
        scene_run(scene);
        read_buffer(scene->driver, 40 + s, 0, words, sizeof words);
        stream_begin(scene->driver);
        for (uint32_t i = 0; i < 256; i++) {
            assert_int_equal(words[i], i < 16 || i >= 16 + 192 ? 0 : (i - 16) * 3 + 1);
        }
    }
}

/* What one dispatch writes the next one reads, in one submission; what is behind a view's end is not
 * written. */
static void compute_chain(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t factor[4] = {5};
    uint32_t words[64];

    add_buffer(scene->driver, 40, 256, 0);
    add_buffer(scene->driver, 41, 256, 0);
    scene_buffer(scene, 42, factor, 16);
    scene_shader(scene, CS, &agpu_cs_loop_5_0);
    scene_shader(scene, CS + 50, &agpu_cs_scale_5_0);
    scene_bind(scene, 0, 0, 0, 0, 0, CS);
    scene_uav(scene, 0, 40, 0, 0);
    scene_dispatch(scene, 8, 1, 1);
    scene_bind(scene, 0, 0, 0, 0, 0, CS + 50);
    scene_uav(scene, 0, 0, 0, 0);
    scene_srv(scene, 2, 2, 40, 0, 0);
    scene_uav(scene, 1, 41, 0, 200);
    scene_constants(scene, 2, 0, 42, 0, 0);
    scene_dispatch(scene, 4, 1, 1);
    scene_run(scene);
    read_buffer(scene->driver, 41, 0, words, sizeof words);
    stream_begin(scene->driver);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(words[i], i < 50 ? i * (i + 1) / 2 * 5 : 0);
    }
}

static void structured_buffers(void **state)
{
    struct render_scene *scene = *state;

    struct item {
        uint32_t a;
        int32_t b;
        float c, d;
    } in[8], out[8];
    for (uint32_t i = 0; i < 8; i++) {
        in[i] = (struct item){i, (int32_t)i * 10, (float)i, 0.5f * (float)i};
    }
    scene_buffer(scene, 40, in, sizeof in);
    add_buffer(scene->driver, 41, sizeof out, 0);
    scene_shader(scene, CS, &agpu_cs_structured_5_0);
    scene_bind(scene, 0, 0, 0, 0, 0, CS);
    scene_srv(scene, 2, 0, 40, 0, 0);
    scene_uav(scene, 0, 41, 0, 0);
    scene_dispatch(scene, 2, 1, 1);
    scene_run(scene);
    read_buffer(scene->driver, 41, 0, out, sizeof out);
    stream_begin(scene->driver);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(out[i].a, i + 1);
        assert_int_equal(out[i].b, -(int32_t)i * 10);
        assert_true(out[i].c == in[i].d && out[i].d == in[i].c);
    }
}
/* A container with the chunks of a blob but this code instead of its own; returns its size. */
static uint32_t with_code(const struct agpu_shader_blob *blob, const uint32_t *code, uint32_t code_words,
                          uint32_t *out)
{
    enum { SHDR = 0x52444853 };
    uint32_t chunks = blob->words[7], at = 8 + chunks;
    memcpy(out, blob->words, 8 * 4);
    for (uint32_t i = 0; i < chunks; i++) {
        const uint32_t *chunk = blob->words + blob->words[8 + i] / 4;
        bool is_code = chunk[0] == SHDR;
        uint32_t words = is_code ? code_words : chunk[1] / 4;

        out[8 + i] = at * 4;
        out[at] = chunk[0];
        out[at + 1] = words * 4;
        memcpy(out + at + 2, is_code ? code : chunk + 2, words * 4);
        at += 2 + words;
    }
    out[6] = at * 4;
    vgpu_dxbc_checksum(out, at * 4, out + 1);
    return at * 4;
}

/* A table in the code itself, an immediate constant buffer, as compilers make of constant arrays: the corners
 * of a triangle over the whole target by vertex number. */
static void immediate_constants(void **state)
{
    enum { ONE = 0x3F800000, MINUS_ONE = 0xBF800000, THREE = 0x40400000, MINUS_THREE = 0xC0400000 };
    static const uint32_t code[] = {
        0x00010040,   41, /* vs_4_0, words in all */
        3 << 11 | 53, 14,          MINUS_ONE, ONE,        0,          ONE,        THREE, ONE, 0, ONE,
        MINUS_ONE,    MINUS_THREE, 0,         ONE,        0x04000060, 0x00101012, 0,     6, /* dcl_input_sgv
                                                                                               v0.x,
                                                                                             * vertex_id */
        0x04000067,   0x001020F2,  0,         1,                         /* dcl_output_siv o0, position */
        0x03000065,   0x001020F2,  1,                                    /* dcl_output o1 */
        0x02000068,   1,                                                 /* dcl_temps 1 */
        0x05000036,   0x00100012,  0,         0x0010100A, 0,             /* mov r0.x, v0.x */
        0x06000036,   0x001020F2,  0,         0x00909E46, 0x0010000A, 0, /* mov o0, icb[r0.x] */
        0x0100003E, /* ret, which goes behind what writes o1 */
    };
    static const uint32_t color[] = {0x08000036, 0x001020F2, 1, 0x00004002,
                                     0,          ONE,        0, ONE}; /* mov o1, green */
    struct render_scene *scene = *state;
    uint32_t body[64], container[256];
    uint32_t words = sizeof code / 4;
    memcpy(body, code, (words - 1) * 4);
    memcpy(body + words - 1, color, sizeof color);
    words += sizeof color / 4;
    body[words - 1] = code[sizeof code / 4 - 1];
    body[1] = words;
    uint32_t size = with_code(&agpu_vs_vertex_id_4_0, body, words, container);
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_color_4_0);
    scene_shader_bytes(scene, 50, 0, 0, container, size);
    scene_bind(scene, 50, PS, 0, 0, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, GREEN, 0);
    /* A table that is no multiple of four words is refused. */
    body[3] = 13;
    memmove(body + 15, body + 16, (words - 16) * 4);
    body[1] = words - 1;
    size = with_code(&agpu_vs_vertex_id_4_0, body, words - 1, container);
    scene_shader_bytes(scene, 51, 0, 0, container, size);
    scene_bind(scene, 51, PS, 0, 0, 0, 0);
    scene_run(scene);
    scene_draw(scene, 3);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(discards),      SCENE(depth_output),       SCENE(integer_operations),
        SCENE(loops),         SCENE(buffer_resources),   SCENE(geometry_shader),
        SCENE(adjacency),     SCENE(tessellation),       SCENE(compute),
        SCENE(compute_chain), SCENE(structured_buffers), SCENE(immediate_constants),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
