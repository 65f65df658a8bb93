/* test_texture.c: what shaders see of a texture by the dimension that they declare, and of each format. */
#include "tests/unit/render/scene.h"

#include <string.h>

enum { TEXTURE = 40, PIXEL_STAGE = 1 };

/* A texture of 4x4 texels in so many layers, each of one colour: 40 times its number in red. */
static void put_layers(struct render_scene *scene, uint32_t layers)
{
    struct aerogpu_cmd_create_texture2d *create =
        add_texture(scene->driver, TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    create->array_layers = layers;
    for (uint32_t i = 0; i < layers; i++) {
        uint32_t texels[16];

        for (uint32_t k = 0; k < 16; k++) {
            texels[k] = RGBA(40 * i & 255, 0, 255, 255);
        }
        add_upload(scene->driver, TEXTURE, i * sizeof texels, texels, sizeof texels);
    }
    scene_texture(scene, PIXEL_STAGE, 0, TEXTURE);
}

/* A quad over the target whose colour, or texture coordinate, is the same everywhere. */
static void draw_with(struct render_scene *scene, const struct agpu_shader_blob *ps, float x, float y,
                      float z, float w)
{
    struct vertex quad[4];

    for (uint32_t i = 0; i < 4; i++) {
        quad[i] = (struct vertex){i & 1 ? 1 : -1, i & 2 ? -1 : 1, 0.5f, 1, x, y, z, w};
    }
    scene_shaders(scene, &agpu_vs_color_4_0, ps);
    scene_vertices(scene, quad, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_draw(scene, 4);
}

static uint32_t stripes(uint32_t x, uint32_t y)
{
    (void)y;
    return RGBA(40 * (x / 4 < 2 ? x / 4 : 2), 0, 255, 255);
}

static void array(void **state)
{
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {TEXCOORD, 0, 16, 0, 16, 0}};
    struct render_scene *scene = *state;
    const float quad[4][6] = {
        {-1, 1, 0, 1, 0, 0}, {1, 1, 0, 1, 1, 0}, {-1, -1, 0, 1, 0, 1}, {1, -1, 0, 1, 1, 1}};

    put_layers(scene, 3);
    scene_shaders(scene, &agpu_vs_textured_4_0, &agpu_ps_array_4_0);
    scene_buffer(scene, VERTICES, quad, sizeof quad);
    scene_vertex_buffer(scene, 0, VERTICES, sizeof quad[0], 0);
    scene_layout(scene, LAYOUT, elements, 2);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    scene_draw(scene, 4);
    scene_expect(scene, stripes, 0);
}

/* All faces one after the other, each by a scene of its own target. */
static void cube(void **state)
{
    static const float to[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    struct render_scene *scene = *state;

    put_layers(scene, 6);
    for (uint32_t face = 0; face < 6; face++) {
        draw_with(scene, face & 1 ? &agpu_ps_cube_4_0 : &agpu_ps_cube_5_0, to[face][0], to[face][1],
                  to[face][2], 1);
        scene_expect_all(scene, RGBA(40 * face, 0, 255, 255), 0);
    }
}

/* A face of each cube of two; the red of layers behind the seventh is of no account here. */
static void cube_of_array(void **state)
{
    struct render_scene *scene = *state;

    put_layers(scene, 12);
    draw_with(scene, &agpu_ps_cube_array_5_0, 0, -1, 0, 0);
    scene_expect_all(scene, RGBA(40 * 3, 0, 255, 255), 0);
    draw_with(scene, &agpu_ps_cube_array_5_0, 1, 0, 0, 1);
    scene_expect_all(scene, RGBA(40 * 6, 0, 255, 255), 0);
}

/* Too few layers for a cube read 0, as an unbound slot does; as a plain texture the first layer is seen. */
static void no_cube(void **state)
{
    struct render_scene *scene = *state;

    put_layers(scene, 5);
    draw_with(scene, &agpu_ps_cube_4_0, 1, 0, 0, 1);
    scene_expect_all(scene, NOTHING, 0);
}

/* A depth buffer is read as its depth. */
static void depth_texture(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t formats[] = {AEROGPU_FORMAT_D32_FLOAT, AEROGPU_FORMAT_D24_UNORM_S8_UINT};

    for (uint32_t i = 0; i < 2; i++) {
        add_texture(scene->driver, TEXTURE + i, formats[i], TARGET, TARGET, 0);
        add_targets(scene->driver, 0, TEXTURE + i);
        add_clear(scene->driver, 2, 0, 0, 0, 0)->depth_f32 = 0x3F000000; /* 0.5 */
        add_targets(scene->driver, COLOR, 0);
        scene_texture(scene, PIXEL_STAGE, 0, TEXTURE + i);
        scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
        scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLELIST);
        scene_draw(scene, 3);
        scene_expect_all(scene, RGBA(128, 0, 0, 255), 1);
    }
}

/* A block of one colour in each block format, plain and sRGB. */
static void block_formats(void **state)
{
    static const struct {
        uint32_t format, bytes, words[4], color;
    } rows[] = {
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, {0xF800F800}, RED},
        {AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, 8, {0xF800F800}, RED},
        {AEROGPU_FORMAT_BC2_RGBA_UNORM, 16, {0x88888888, 0x88888888, 0x07E007E0}, RGBA(0, 255, 0, 136)},
        {AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB, 16, {0x88888888, 0x88888888, 0x07E007E0}, RGBA(0, 255, 0, 136)},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM, 16, {0x8040, 0, 0x001F001F}, RGBA(0, 0, 255, 64)},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, 16, {0x8040, 0, 0x001F001F}, RGBA(0, 0, 255, 64)},
        {AEROGPU_FORMAT_BC7_RGBA_UNORM, 16, {0x003FFF20, 0xAAABFFF0, 2}, RGBA(255, 0, 255, 170)},
        {AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB, 16, {0x003FFF20, 0xAAABFFF0, 2}, RGBA(255, 0, 255, 170)},
    };
    struct render_scene *scene = *state;
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
    scene_viewport(scene, 0, 0, 4, 4, 0, 1);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t pixels[TARGET * TARGET];

        add_texture(scene->driver, TEXTURE + i, rows[i].format, 4, 4, 0);
        add_upload(scene->driver, TEXTURE + i, 0, rows[i].words, rows[i].bytes);
        scene_texture(scene, PIXEL_STAGE, 0, TEXTURE + i);
        scene_draw(scene, 3);
        scene_read(scene, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
        assert_int_equal(pixels[3 * TARGET + 3], rows[i].color);
    }
}

/* The protocol binds buffers to UAV slots: a shader that writes a texture writes nothing, and goes on. */
static void texture_uav(void **state)
{
    struct render_scene *scene = *state;
    uint32_t words[4];

    add_buffer(scene->driver, 50, 16, 0);
    scene_shader(scene, CS, &agpu_cs_texture_write_5_0);
    scene_bind(scene, 0, 0, 0, 0, 0, CS);
    scene_uav(scene, 1, 50, 0, 0);
    scene_dispatch(scene, 1, 1, 1);
    scene_run(scene);
    read_buffer(scene->driver, 50, 0, words, sizeof words);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(words[i], 7);
    }
}

/* More than any device has: a failure of this submission, said once. */
static void texture_too_large(void **state)
{
    struct render_scene *scene = *state;

    add_texture(scene->driver, TEXTURE, AEROGPU_FORMAT_R8G8B8A8_UNORM, 1 << 17, 1, 0);
    scene_texture(scene, PIXEL_STAGE, 0, TEXTURE);
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
    scene_draw(scene, 3);
    scene_fail(scene, AEROGPU_ERROR_BACKEND);
    /* Without it the same draw is good. */
    scene_texture(scene, PIXEL_STAGE, 0, 0);
    scene_draw(scene, 3);
    scene_expect_all(scene, NOTHING, 0);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(array),         SCENE(cube),          SCENE(cube_of_array), SCENE(no_cube),
        SCENE(depth_texture), SCENE(block_formats), SCENE(texture_uav),   SCENE(texture_too_large),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
