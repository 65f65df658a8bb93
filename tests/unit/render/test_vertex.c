/* test_vertex.c: vertex input: instances, formats, slots. */
#include "tests/unit/render/scene.h"

static uint32_t three_stripes(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 4 ? RED : x < 8 ? GREEN : x < 12 ? BLUE : NOTHING;
}

static void instance_id(void **state)
{
    struct render_scene *scene = *state;
    static const float vertices[][4] = {{-1, 1, 0, 1}, {-0.5f, 1, 0, 1}, {-1, -1, 0, 1}, {-0.5f, -1, 0, 1}};
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}};

    scene_shaders(scene, &agpu_vs_instance_id_4_0, &agpu_ps_color_4_0);
    scene_buffer(scene, VERTICES, vertices, sizeof vertices);
    scene_vertex_buffer(scene, 0, VERTICES, 16, 0);
    scene_layout(scene, LAYOUT, elements, 1);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    struct aerogpu_cmd_draw *draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);
    draw->vertex_count = 4;
    draw->instance_count = 3;
    scene_expect(scene, three_stripes, 0);
    /* The number counts from 0 wherever the instances begin. */
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);
    draw->vertex_count = 4;
    draw->instance_count = 3;
    draw->first_instance = 7;
    scene_expect(scene, three_stripes, 0);
}

/* Offset and colour per instance; each colour serves two instances. Positions from a slot with an offset. */
static uint32_t two_and_one(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 8 ? RED : x < 12 ? GREEN : NOTHING;
}

static void instance_data(void **state)
{
    struct render_scene *scene = *state;
    static const float vertices[] = {7, 7, 7, 7, -1, 1, -0.5f, 1, -1, -1, -0.5f, -1};
    static const float offsets[] = {9, 9, 0, 0, 0.5f, 0, 1, 0};
    static const uint32_t colors[] = {RED, GREEN};
    static const struct element elements[] = {
        {POSITION, 0, 16, 0, 0, 0}, {TEXCOORD, 1, 16, 3, 0, 1}, {COLOR_0, 0, 28, 5, 0, 2}};

    scene_shaders(scene, &agpu_vs_instance_data_4_0, &agpu_ps_color_4_0);
    scene_buffer(scene, VERTICES, vertices, sizeof vertices);
    scene_buffer(scene, 40, offsets, sizeof offsets);
    scene_buffer(scene, 41, colors, sizeof colors);
    scene_vertex_buffer(scene, 0, VERTICES, 8, 16);
    scene_vertex_buffer(scene, 3, 40, 8, 0);
    scene_vertex_buffer(scene, 5, 41, 4, 0);
    scene_layout(scene, LAYOUT, elements, 3);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    struct aerogpu_cmd_draw *draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);
    draw->vertex_count = 4;
    draw->instance_count = 3;
    draw->first_instance = 0;
    scene_vertex_buffer(scene, 3, 40, 8, 8);
    draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);
    draw->vertex_count = 4;
    draw->instance_count = 3;
    scene_expect(scene, two_and_one, 0);
}

/* Every vertex format that gives floats, as the colour: one red, three quarters green where there is one, and
 * what the input assembler fills in. */
static void vertex_formats(void **state)
{
    struct render_scene *scene = *state;

    static const struct {
        uint32_t format;
        uint32_t words[4];
        uint32_t color;
    } cases[] = {
        {2, {0x3f800000, 0x3f400000, 0x3f000000, 0x3e800000}, RGBA(255, 191, 128, 64)},
        {6, {0x3f800000, 0x3f400000, 0x3f000000, 0}, RGBA(255, 191, 128, 255)},
        {16, {0x3f800000, 0x3f400000, 0, 0}, RGBA(255, 191, 0, 255)},
        {41, {0x3f400000, 0, 0, 0}, RGBA(191, 0, 0, 255)},
        {10, {0x3a003c00, 0x34003800, 0, 0}, RGBA(255, 191, 128, 64)},
        {11, {0xbfffffff, 0x3fff7fff, 0, 0}, RGBA(255, 191, 128, 64)},
        {13, {0x5fff7fff, 0x1fff3fff, 0, 0}, RGBA(255, 191, 128, 64)},
        {24, {0x0u << 30 | 512u << 20 | 767u << 10 | 1023u, 0, 0, 0}, RGBA(255, 191, 128, 0)},
        {28, {RGBA(255, 191, 128, 64), 0, 0, 0}, RGBA(255, 191, 128, 64)},
        {31, {RGBA(127, 95, 64, 32), 0, 0, 0}, RGBA(255, 191, 128, 64)},
        {34, {0x3a003c00, 0, 0, 0}, RGBA(255, 191, 0, 255)},
        {35, {0xbfffffff, 0, 0, 0}, RGBA(255, 191, 0, 255)},
        {37, {0x5fff7fff, 0, 0, 0}, RGBA(255, 191, 0, 255)},
        {49, {0xbfff, 0, 0, 0}, RGBA(255, 191, 0, 255)},
        {51, {0x5f7f, 0, 0, 0}, RGBA(255, 191, 0, 255)},
        {54, {0x3a00, 0, 0, 0}, RGBA(191, 0, 0, 255)},
        {56, {0xbfff, 0, 0, 0}, RGBA(191, 0, 0, 255)},
        {58, {0x5fff, 0, 0, 0}, RGBA(191, 0, 0, 255)},
        {87, {RGBA(128, 191, 255, 64), 0, 0, 0}, RGBA(255, 191, 128, 64)},
    };
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    static const float positions[] = {-1, 1, 1, 1, -1, -1, 1, -1};
    scene_buffer(scene, VERTICES, positions, sizeof positions);
    scene_vertex_buffer(scene, 0, VERTICES, 8, 0);
    add_buffer(scene->driver, 40, 16, 0);
    scene_vertex_buffer(scene, 1, 40, 0, 0);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct element elements[] = {{POSITION, 0, 16, 0, 0, 0}, {COLOR_0, 0, cases[i].format, 1, 0, 0}};

        add_upload(scene->driver, 40, 0, cases[i].words, 16);
        scene_layout(scene, LAYOUT + i, elements, 2);
        scene_draw(scene, 4);
        print_message("DXGI format %u\n", cases[i].format);
        scene_expect_all(scene, cases[i].color, 1);
    }
}

static void integer_vertex_formats(void **state)
{
    struct render_scene *scene = *state;

    static const struct {
        uint32_t format;
        uint32_t words[4];
        uint32_t color;
    } cases[] = {
        {3, {256 + 9, 8, 7, 6}, RGBA(9, 8, 7, 6)},
        {7, {9, 8, 7, 0}, RGBA(9, 8, 7, 1)},
        {17, {9, 8, 0, 0}, RGBA(9, 8, 0, 1)},
        {42, {9, 0, 0, 0}, RGBA(9, 0, 0, 1)},
        {12, {0x80009, 0x60007, 0, 0}, RGBA(9, 8, 7, 6)},
        {30, {RGBA(9, 8, 7, 6), 0, 0, 0}, RGBA(9, 8, 7, 6)},
        {36, {0x80009, 0, 0, 0}, RGBA(9, 8, 0, 1)},
        {50, {0x809, 0, 0, 0}, RGBA(9, 8, 0, 1)},
        {57, {9, 0, 0, 0}, RGBA(9, 0, 0, 1)},
    };
    scene_shaders(scene, &agpu_vs_uint_input_4_0, &agpu_ps_color_4_0);
    static const float positions[] = {-1, 1, 1, 1, -1, -1, 1, -1};
    scene_buffer(scene, VERTICES, positions, sizeof positions);
    scene_vertex_buffer(scene, 0, VERTICES, 8, 0);
    add_buffer(scene->driver, 40, 16, 0);
    scene_vertex_buffer(scene, 1, 40, 0, 0);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct element elements[] = {{POSITION, 0, 16, 0, 0, 0}, {COLOR_0, 0, cases[i].format, 1, 0, 0}};

        add_upload(scene->driver, 40, 0, cases[i].words, 16);
        scene_layout(scene, LAYOUT + i, elements, 2);
        scene_draw(scene, 4);
        print_message("DXGI format %u\n", cases[i].format);
        scene_expect_all(scene, cases[i].color, 0);
    }
}

/* A slot without a buffer reads 0: all vertices at (0, 0, 0, 0) draw nothing, and nothing breaks. */
static void slot_without_buffer(void **state)
{
    struct render_scene *scene = *state;
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {COLOR_0, 0, 2, 0, 16, 0}};

    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    scene_layout(scene, LAYOUT, elements, 2);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLELIST);
    scene_draw(scene, 3);
    scene_expect_all(scene, NOTHING, 0);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(instance_id),         SCENE(instance_data),
        SCENE(vertex_formats),      SCENE(integer_vertex_formats),
        SCENE(slot_without_buffer),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
