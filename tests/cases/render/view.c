/* view.c: texture arrays and cube maps read by shaders, whole and through views of some mips and layers (commands.md
 * 6.1, 10, 15.1). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS   AEROGPU_SHADER_STAGE_PIXEL

/* Returns a texel of the 2x2 of a layer. */
static uint32_t layer_texel(uint32_t layer, uint32_t texel)
{
    return AGPU_RGBA(layer * 20, texel * 80, 255 - layer * 20, 255);
}

/* Creates texture 30 of 2x2 texels with this many layers. */
static void put_layers(struct agpu_test *t, uint32_t layers)
{
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 2, 2, 0, 0)->array_layers = layers;
    for (uint32_t i = 0; i < layers; i++) {
        const uint32_t texels[4] = {layer_texel(i, 0), layer_texel(i, 1), layer_texel(i, 2),
                                    layer_texel(i, 3)};

        agpu_put_upload(agpu_rig_of(t), 30, i * sizeof texels, texels, sizeof texels);
    }
}

/* Returns the texel of the 2x2 that this place of the target shows. */
static uint32_t view_quarter(uint32_t x, uint32_t y)
{
    return x / (EDGE / 2) + y / (EDGE / 2) * 2;
}

/* ---- arrays ---- */

static uint32_t first_layer, last_layer;

/* Four columns per layer; the layer number is clamped to the last one. */
static uint32_t layers_image(uint32_t x, uint32_t y)
{
    uint32_t layer = first_layer + x / 4;

    return layer_texel(layer < last_layer ? layer : last_layer, view_quarter(x, y));
}

/* A shader must read the layer of a texture array that it selects, clamped to the last, also from an array of one
 * layer. */
static void view_array(struct agpu_test *t)
{
    static const struct agpu_shader_blob *const shaders[] = {&agpu_ps_array_4_0, &agpu_ps_array_5_0};

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS) && agpu_scene_begin(t));
    put_layers(t, 3);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    first_layer = 0;
    last_layer = 2;
    for (uint32_t i = 0; i < 2; i++) {
        agpu_scene_textured(t, shaders[i], 1);
        agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect(t, layers_image, 0));
    }
    /* An array of one layer is an array too. */
    agpu_put_destroy(agpu_rig_of(t), 30);
    put_layers(t, 1);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    last_layer = 0;
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, layers_image, 0);
}

/* Given a view of layers 2 to 4, a shader must read these, and nothing outside the range. */
static void layer_range(struct agpu_test *t)
{
    struct aerogpu_cmd_create_texture_view *view;

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_array_4_0, 1);
    put_layers(t, 6);
    view = agpu_put_view(agpu_rig_of(t), 31, 30, RGBA);
    view->base_array_layer = first_layer = 2;
    view->array_layer_count = 3;
    last_layer = 4;
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 31);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, layers_image, 0);
}

static uint32_t plain_image(uint32_t x, uint32_t y)
{
    return layer_texel(0, view_quarter(x, y));
}

/* A shader that declares a plain texture must read layer 0 of an array. */
static void array_as_plain(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    put_layers(t, 3);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, plain_image, 0);
}

/* ---- cube maps ---- */

/* Returns the direction of the middle of a texel of 2x2 on a face: +x -x +y -y +z -z; s grows along rows, t
 * downwards. */
static void view_direction(uint32_t face, uint32_t texel, float out[3])
{
    const float s = texel & 1 ? 0.5f : -0.5f, t = texel & 2 ? 0.5f : -0.5f;
    const float faces[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};

    for (uint32_t i = 0; i < 3; i++) {
        out[i] = faces[face][i];
    }
}

static uint32_t first_face;

/* One texel after the other, 16 per row. */
static uint32_t faces_image(uint32_t x, uint32_t y)
{
    uint32_t number = x + y * EDGE;

    return number < 24 ? layer_texel(first_face + number / 4, number % 4) : AGPU_NOTHING;
}

static void put_directions(struct agpu_test *t, float fourth)
{
    struct agpu_vertex points[24];

    for (uint32_t i = 0; i < 24; i++) {
        float to[3];

        view_direction(i / 4, i % 4, to);
        points[i] = (struct agpu_vertex){((float)(i % EDGE) + 0.5f) * 2 / (float)EDGE - 1,
                                         1 - ((float)(i / EDGE) + 0.5f) * 2 / (float)EDGE,
                                         0.5f,
                                         1,
                                         to[0],
                                         to[1],
                                         to[2],
                                         fourth};
    }
    agpu_scene_color(t, points, 24, AEROGPU_TOPOLOGY_POINTLIST);
}

static void draw_directions(struct agpu_test *t, const struct agpu_shader_blob *ps)
{
    agpu_scene_shaders(t, &agpu_vs_color_4_0, ps);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 24);
}

/* A shader must read the face of a cube map that its direction selects, in models 4.0 and 5.0. */
static void view_cube(struct agpu_test *t)
{
    static const struct agpu_shader_blob *const shaders[] = {&agpu_ps_cube_4_0, &agpu_ps_cube_5_0};

    agpu_return_unless(agpu_scene_begin(t));
    put_directions(t, 0);
    put_layers(t, 6);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    first_face = 0;
    for (uint32_t i = 0; i < 2; i++) {
        draw_directions(t, shaders[i]);
        agpu_return_unless(agpu_expect(t, faces_image, 0));
    }
}

/* A view of the second of two cubes must show that cube. */
static void cube_of_array(struct agpu_test *t)
{
    struct aerogpu_cmd_create_texture_view *view;

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    put_directions(t, 0);
    put_layers(t, 12);
    view = agpu_put_view(agpu_rig_of(t), 31, 30, RGBA);
    view->base_array_layer = first_face = 6;
    view->array_layer_count = 6;
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 31);
    draw_directions(t, &agpu_ps_cube_4_0);
    agpu_expect(t, faces_image, 0);
}

/* In an array of cubes, the fourth coordinate must select the cube. */
static void cube_array(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS) && agpu_scene_begin(t));
    put_layers(t, 12);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    for (uint32_t cube = 0; cube < 2; cube++) {
        put_directions(t, (float)cube);
        first_face = 6 * cube;
        draw_directions(t, &agpu_ps_cube_array_5_0);
        agpu_return_unless(agpu_expect(t, faces_image, 0));
    }
}

/* A cube view of fewer than six layers must read as an unbound slot. */
static void no_cube(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS) && agpu_scene_begin(t));
    put_directions(t, 0);
    put_layers(t, 5);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_clear_color(agpu_rig_of(t), 0, 0, 0, 0);
    draw_directions(t, &agpu_ps_cube_4_0);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* ---- mips ---- */

/* A view that starts at the second mip must hide the first: 4x4 red, 2x2 green, 1x1 blue. */
static void mip_range(struct agpu_test *t)
{
    static const float levels[] = {0, 1, 9};
    static const uint32_t seen[] = {AGPU_GREEN, AGPU_BLUE, AGPU_BLUE};
    struct aerogpu_cmd_create_texture_view *view;
    uint32_t texels[21];

    for (uint32_t i = 0; i < 21; i++) {
        texels[i] = i < 16 ? AGPU_RED : i < 20 ? AGPU_GREEN : AGPU_BLUE;
    }
    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 4, 4, 0, 0)->mip_levels = 3;
    agpu_put_upload(agpu_rig_of(t), 30, 0, texels, sizeof texels);
    view = agpu_put_view(agpu_rig_of(t), 31, 30, RGBA);
    view->base_mip_level = 1;
    view->mip_level_count = 2;
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 31);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 16);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 16);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_put_upload(agpu_rig_of(t), 40, 0, &levels[i], 4);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, seen[i], 0));
    }
}

/* A destroyed view must leave an unbound slot, and its texture unchanged. */
static void destroyed_view(struct agpu_test *t)
{
    struct aerogpu_cmd_destroy_texture_view *destroy;

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    put_layers(t, 1);
    agpu_put_view(agpu_rig_of(t), 31, 30, RGBA);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 31);
    destroy = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_DESTROY_TEXTURE_VIEW, sizeof *destroy);
    destroy->view_handle = 31;
    agpu_put_clear_color(agpu_rig_of(t), 1, 1, 1, 1);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, plain_image, 0);
}

/* Given a view whose texture is destroyed, a draw that reads it must be refused. */
static void view_of_nothing(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    put_layers(t, 1);
    agpu_put_view(agpu_rig_of(t), 31, 30, RGBA);
    agpu_put_destroy(agpu_rig_of(t), 30);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 31);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

static const struct agpu_case render_view_cases[] = {
    AGPU_SCENE_CASE("render.texture.array", "commands.md 10", 0, view_array),
    AGPU_SCENE_CASE("render.texture.array_as_plain", "commands.md 10", 0, array_as_plain),
    AGPU_SCENE_CASE("render.texture.cube", "commands.md 10", 0, view_cube),
    AGPU_SCENE_CASE("render.texture.cube_array", "commands.md 15.1", 0, cube_array),
    AGPU_SCENE_CASE("render.texture.no_cube", "commands.md 10", 0, no_cube),
    AGPU_SCENE_CASE("render.view.layer_range", "commands.md 6.1", 0, layer_range),
    AGPU_SCENE_CASE("render.view.cube_of_array", "commands.md 6.1", 0, cube_of_array),
    AGPU_SCENE_CASE("render.view.mip_range", "commands.md 6.1", 0, mip_range),
    AGPU_SCENE_CASE("render.view.of_nothing", "commands.md 15", 0, view_of_nothing),
    AGPU_SCENE_CASE("render.view.destroyed", "commands.md 6.1", 0, destroyed_view),
};

AGPU_CASE_TABLE(agpu_cases_render_view, render_view_cases);
