/* subresource.c: single mips and layers: drawn to and cleared through views, changed after draws have read them, read
 * through views of some of them and through filters (commands.md 6.1, 6.3, 10, 11, 15). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texture_read.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define SRGB AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB
#define PS   AEROGPU_SHADER_STAGE_PIXEL

/* ---- as targets ---- */

/* Creates texture 30 of two mips and two layers, the smaller mip as large as the target; views 31 to 34 are mip i & 1
 * of layer i >> 1. */
static void put_subresources(struct agpu_rig *r)
{
    struct aerogpu_cmd_create_texture2d *create = agpu_put_target(r, 30, RGBA, 2 * EDGE, 2 * EDGE);

    create->mip_levels = 2;
    create->array_layers = 2;
    for (uint32_t i = 0; i < 4; i++) {
        struct aerogpu_cmd_create_texture_view *view = agpu_put_view(r, 31 + i, 30, RGBA);

        view->base_mip_level = i & 1;
        view->base_array_layer = i >> 1;
    }
}

/* Checks a part of a subresource, from x, y, as large as the target: one colour. */
static bool expect_part(struct agpu_test *t, uint32_t sub, uint32_t x, uint32_t y, uint32_t color)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_copy_texture2d *copy = agpu_put_copy_texture(r, 40, 30, EDGE, EDGE, 0);

    copy->src_mip_level = sub & 1;
    copy->src_array_layer = sub >> 1;
    copy->src_x = x;
    copy->src_y = y;
    return agpu_expect_target_all(t, 40, RGBA, color, 0);
}

static bool expect_subresources(struct agpu_test *t, const uint32_t colors[4])
{
    for (uint32_t i = 0; i < 4; i++) {
        if (!expect_part(t, i, 0, 0, colors[i]) ||
            (!(i & 1) &&
             !(expect_part(t, i, EDGE, 0, colors[i]) && expect_part(t, i, EDGE, EDGE, colors[i])))) {
            return false;
        }
    }
    return true;
}

/* Each subresource must be cleared and drawn to by itself; all are read at the end. */
static void subresource_targets(struct agpu_test *t)
{
    static const float clears[4][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 1, 1}};
    static const uint32_t cleared[4] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE},
                          drawn[4] = {AGPU_WHITE, AGPU_BLUE, AGPU_GREEN, AGPU_RED};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    put_subresources(r);
    agpu_put_target(r, 40, RGBA, EDGE, EDGE);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_targets(r, 31 + i, 0);
        agpu_put_clear_color(r, clears[i][0], clears[i][1], clears[i][2], clears[i][3]);
    }
    agpu_return_unless(expect_subresources(t, cleared));
    agpu_scene_pixel(t, &agpu_ps_constant_4_0);
    agpu_put_viewport(r, &(struct agpu_viewport){0, 0, 0, 0, 0, 0}); /* each target's own size */
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_destroy(r, 41);
        agpu_put_filled_buffer(r, 41, clears[3 - i], 16);
        agpu_put_constants(r, PS, 0, 41, 0, 0);
        agpu_put_targets(r, 31 + i, 0);
        agpu_put_draw(r, 3);
    }
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_return_unless(expect_subresources(t, drawn));
    /* A clear of one leaves the drawn texels of the others. */
    agpu_put_targets(r, 31, 0);
    agpu_put_draw(r, 3);
    agpu_put_targets(r, 33, 0);
    agpu_put_draw(r, 3);
    agpu_put_targets(r, 34, 0);
    agpu_put_clear_color(r, 0, 1, 0, 1);
    agpu_put_targets(r, AGPU_TARGET, 0);
    expect_subresources(t, (const uint32_t[4]){AGPU_RED, AGPU_BLUE, AGPU_RED, AGPU_GREEN});
}

/* Through an sRGB view, clears and draws must store encoded values; the texture itself is not sRGB. */
static void srgb_view_as_target(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f);
    agpu_put_target(r, 30, RGBA, EDGE, EDGE);
    agpu_put_view(r, 31, 30, SRGB);
    agpu_put_targets(r, 31, 0);
    agpu_put_clear_color(r, 0.5f, 0.5f, 0.5f, 0.5f);
    agpu_return_unless(agpu_expect_target_all(t, 30, RGBA, AGPU_RGBA(188, 188, 188, 128), 1));
    agpu_put_targets(r, 30, 0);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_expect_target_all(t, 30, RGBA, AGPU_RGBA(128, 128, 128, 128), 1));
    agpu_put_targets(r, 31, 0);
    agpu_put_draw(r, 4);
    agpu_expect_target_all(t, 30, RGBA, AGPU_RGBA(188, 188, 188, 128), 1);
}

/* ---- impossible views ---- */

/* The device must refuse views with an impossible range, texture, handle or format, and leave the handle free. */
static void impossible_views(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    put_subresources(r);
    agpu_put_filled_buffer(r, 50, NULL, 64);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 9; i++) {
        struct aerogpu_cmd_create_texture_view *view = agpu_put_view(r, 60, 30, RGBA);

        switch (i) {
        case 0:
            view->base_array_layer = 2;
            break;
        case 1:
            view->array_layer_count = 3;
            break;
        case 2:
            view->base_mip_level = 2;
            break;
        case 3:
            view->base_mip_level = 1;
            view->mip_level_count = 2;
            break;
        case 4:
            view->array_layer_count = 0;
            break;
        case 5:
            view->texture_handle = 99;
            break;
        case 6:
            view->view_handle = 0;
            break;
        case 7:
            view->format = AEROGPU_FORMAT_B8G8R8A8_UNORM;
            break;
        default:
            view->texture_handle = 50;
            break;
        }
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    }
    /* The handle is still free. */
    agpu_put_view(r, 60, 30, SRGB);
    agpu_run_clean(t);
}

/* ---- as textures ---- */

static uint32_t subresource_texels[32 * 32];

static void subresource_fill(uint32_t color)
{
    for (uint32_t i = 0; i < sizeof subresource_texels / sizeof subresource_texels[0]; i++) {
        subresource_texels[i] = color;
    }
}

/* Creates texture 30: 4x4 red, 2x2 green, 1x1 blue, each uploaded by itself. */
static void put_three_mips(struct agpu_rig *r)
{
    agpu_put_create_texture(r, 30, RGBA, 4, 4, 0, 0)->mip_levels = 3;
    subresource_fill(AGPU_RED);
    agpu_put_upload(r, 30, 0, subresource_texels, 64);
    subresource_fill(AGPU_GREEN);
    agpu_put_upload(r, 30, 64, subresource_texels, 16);
    subresource_fill(AGPU_BLUE);
    agpu_put_upload(r, 30, 80, subresource_texels, 4);
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_filled_buffer(r, 41, NULL, 16);
    agpu_put_constants(r, PS, 0, 41, 0, 16);
}

static bool expect_level(struct agpu_test *t, float level, uint32_t color)
{
    agpu_put_upload(agpu_rig_of(t), 41, 0, &level, 4);
    agpu_put_draw(agpu_rig_of(t), 4);
    return agpu_expect_all(t, color, 1);
}

/* Given a smaller mip that changes after draws have read it, by upload and by copy, the next draw must show it; then a
 * larger one. */
static void mips_change(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_copy_texture2d *copy;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    put_three_mips(r);
    agpu_return_unless(expect_level(t, 0, AGPU_RED) && expect_level(t, 1, AGPU_GREEN) &&
                       expect_level(t, 2, AGPU_BLUE));
    subresource_fill(AGPU_WHITE);
    agpu_put_upload(r, 30, 64, subresource_texels, 16);
    agpu_return_unless(expect_level(t, 1, AGPU_WHITE) && expect_level(t, 2, AGPU_BLUE));
    agpu_put_create_texture(r, 31, RGBA, 1, 1, 0, 0);
    agpu_put_upload(r, 31, 0, subresource_texels, 4);
    copy = agpu_put_copy_texture(r, 30, 31, 1, 1, 0);
    copy->dst_mip_level = 2;
    agpu_return_unless(expect_level(t, 2, AGPU_WHITE) && expect_level(t, 0, AGPU_RED));
    subresource_fill(AGPU_BLUE);
    agpu_put_upload(r, 30, 0, subresource_texels, 64);
    agpu_return_unless(expect_level(t, 0, AGPU_BLUE) && expect_level(t, 1, AGPU_WHITE));
}

/* A linear sampler must mix two mips, a nearest one must not; both stop at the last mip. */
static void mips_mixed(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    put_three_mips(r);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_LINEAR, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_return_unless(expect_level(t, 0.5f, AGPU_RGBA(128, 128, 0, 255)) &&
                       expect_level(t, 1.25f, AGPU_RGBA(0, 191, 64, 255)) && expect_level(t, 9, AGPU_BLUE) &&
                       expect_level(t, -3, AGPU_RED));
    agpu_put_sampler(r, 0, 51, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_return_unless(expect_level(t, 0.25f, AGPU_RED) && expect_level(t, 0.75f, AGPU_GREEN) &&
                       expect_level(t, 1.75f, AGPU_BLUE) && expect_level(t, 9, AGPU_BLUE));
}

/* Given two texels per texel of the target, a linear sampler must return the mean of four, a nearest one a single
 * texel. */
static void minified(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_FIRST_PARTS) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    for (uint32_t i = 0; i < 32 * 32; i++) {
        subresource_texels[i] = (i + i / 32) & 1 ? AGPU_WHITE : AGPU_RGBA(0, 0, 0, 255);
    }
    agpu_put_create_texture(r, 30, RGBA, 32, 32, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_upload(r, 30, i * 1024, subresource_texels + i * 256, 1024);
    }
    agpu_put_texture_slot(r, PS, 0, 30);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_LINEAR, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_RGBA(128, 128, 128, 255), 2);
}

/* A view must show its own mips and no later ones, its own layers and no earlier ones. */
static void views_end(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    put_three_mips(r);
    agpu_put_view(r, 31, 30, RGBA)->base_mip_level = 1;
    agpu_put_texture_slot(r, PS, 0, 31);
    agpu_return_unless(expect_level(t, 0, AGPU_GREEN) && expect_level(t, 1, AGPU_GREEN) &&
                       expect_level(t, 9, AGPU_GREEN));
    agpu_put_view(r, 32, 30, RGBA)->mip_level_count = 2;
    agpu_put_texture_slot(r, PS, 0, 32);
    agpu_return_unless(expect_level(t, 0, AGPU_RED) && expect_level(t, 9, AGPU_GREEN));
    /* A change of the texture shows in its views. */
    subresource_fill(AGPU_WHITE);
    agpu_put_upload(r, 30, 64, subresource_texels, 16);
    expect_level(t, 1, AGPU_WHITE);
}

/* Draws through a view of depth must test and write its subresource alone. */
static void depth_view_drawn(struct agpu_test *t)
{
    enum { D32 = AEROGPU_FORMAT_D32_FLOAT };
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_create_texture2d *create;
    struct aerogpu_cmd_create_texture_view *view;
    uint32_t image[AGPU_EDGE * AGPU_EDGE];

    agpu_return_unless(
        agpu_asks(t, AGPU_ASKS_VIEWS | AGPU_ASKS_DEPTH_READ | AGPU_ASKS_LAYERS | AGPU_ASKS_MIP_READ) &&
        agpu_scene_begin(t));
    agpu_scene_solid(t, 0.25f, 1, 1, 1, 1);
    create = agpu_put_target(r, 30, D32, AGPU_EDGE, AGPU_EDGE);
    create->array_layers = 3;
    view = agpu_put_view(r, 31, 30, D32);
    for (uint32_t layer = 1; layer < 3; layer++) {
        if (layer == 2) {
            view = agpu_put_view(r, 32, 30, D32);
        }
        view->base_array_layer = layer;
        agpu_put_targets(r, AGPU_TARGET, 30 + layer);
        agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_GREATER); /* than 0, the depth of all of it */
        agpu_put_viewport(
            r, &(struct agpu_viewport){0, 0, (float)AGPU_EDGE, (float)AGPU_EDGE, 0, 1.0f / (float)layer});
        agpu_put_draw(r, 4);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_reads_begin(r);
    for (uint32_t layer = 0; layer < 3; layer++) {
        agpu_put_texture_read(r, 30, D32, 0, layer, AGPU_EDGE, AGPU_EDGE);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t layer = 0; layer < 3; layer++) {
        for (uint32_t i = 0; i < AGPU_EDGE * AGPU_EDGE; i++) {
            image[i] = layer == 0 ? 0 : agpu_float_bits(0.25f / (float)layer);
        }
        agpu_return_unless(
            agpu_check_texture_read(t, layer, image, 0, "a layer of depth that was drawn to by views"));
    }
    agpu_put_reads_done(r);
    agpu_run_clean(t);
}

static const struct agpu_case render_subresource_cases[] = {
    AGPU_SCENE_CASE("render.view.each_as_target", "commands.md 6.1", 0, subresource_targets),
    AGPU_SCENE_CASE("render.view.srgb_as_target", "commands.md 6.1", 0, srgb_view_as_target),
    AGPU_SCENE_CASE("render.view.impossible", "commands.md 15", 0, impossible_views),
    AGPU_SCENE_CASE("render.view.ends", "commands.md 6.1", 0, views_end),
    AGPU_SCENE_CASE("render.texture.mips_change", "commands.md 6.3", 0, mips_change),
    AGPU_SCENE_CASE("render.sampler.mips_mixed", "commands.md 10", 0, mips_mixed),
    AGPU_SCENE_CASE("render.sampler.minified", "commands.md 10", 0, minified),
    AGPU_SCENE_CASE("render.view.depth_drawn", "commands.md 15", 0, depth_view_drawn),
};

AGPU_CASE_TABLE(agpu_cases_render_subresource, render_subresource_cases);
