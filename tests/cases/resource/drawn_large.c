/* drawn_large.c: changes and results of more bytes than a device may move at once, and a new name for what was drawn
 * (commands.md 6.3, 6.4, 12). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM

#define LARGE_WIDTH  4096u
#define LARGE_HEIGHT 2100u                            /* 33 MiB */
#define LARGE_CHANGE 600u                             /* rows */
#define LARGE_BYTES  (4 * LARGE_WIDTH * LARGE_HEIGHT) /* of a buffer */

enum { LARGE = 30, LARGE_SOURCE, LARGE_TEXEL, LARGE_RED, LARGE_GREEN, LARGE_ZEROS };

static void put_large_texel(struct agpu_rig *r, uint32_t to, uint32_t to_y, uint32_t from, uint32_t from_y)
{
    struct aerogpu_cmd_copy_texture2d *copy = agpu_put_copy_texture(r, to, from, 1, 1, 0);

    copy->dst_x = to_y == 0 ? 0 : LARGE_WIDTH - 1;
    copy->dst_y = to_y;
    copy->src_x = from_y == 0 ? 0 : LARGE_WIDTH - 1;
    copy->src_y = from_y;
}

/* Draws a white square of 8 texels into the large texture. */
static void put_large_square(struct agpu_rig *r, float x, float y)
{
    agpu_put_targets(r, LARGE, 0);
    agpu_put_viewport(r, &(struct agpu_viewport){x, y, 8, 8, 0, 1});
    agpu_put_draw(r, 4);
}

/* Runs the stream, and checks the last texel of the large texture. */
static bool check_large_texel(struct agpu_test *t, uint32_t color, const char *what)
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool ok;

    put_large_texel(r, LARGE_TEXEL, 0, LARGE, LARGE_HEIGHT - 1);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, LARGE_TEXEL, RGBA, 0, 0, 1, 1);
    ok = agpu_run_clean(t) && agpu_check_texture_read(t, 0, &color, 0, what);
    agpu_put_reads_done(r);
    return ok;
}

/* Given a texture of 33 MiB, its last texel must follow copies and draws, each of which comes after the other. */
static void large_drawn_texture(struct agpu_test *t)
{
    static const uint32_t colors[] = {AGPU_RED, AGPU_GREEN};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_target(r, LARGE, RGBA, LARGE_WIDTH, LARGE_HEIGHT);
    agpu_put_create_texture(r, LARGE_TEXEL, RGBA, 1, 1, 0, 0);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_create_texture(r, LARGE_RED + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(r, LARGE_RED + i, 0, &colors[i], sizeof colors[i]);
    }
    put_large_texel(r, LARGE, LARGE_HEIGHT - 1, LARGE_RED, 0);
    put_large_square(r, 0, 0);
    agpu_return_unless(check_large_texel(t, AGPU_RED, "the last texel, copied before the first draw"));
    put_large_square(r, LARGE_WIDTH - 8, LARGE_HEIGHT - 8);
    agpu_return_unless(check_large_texel(t, AGPU_WHITE, "the last texel, drawn"));
    agpu_put_create_texture(r, LARGE_SOURCE, RGBA, LARGE_WIDTH, LARGE_CHANGE, 0, 0);
    put_large_texel(r, LARGE_SOURCE, LARGE_CHANGE - 1, LARGE_GREEN, 0);
    agpu_put_copy_texture(r, LARGE, LARGE_SOURCE, LARGE_WIDTH, LARGE_CHANGE, 0)->dst_y =
        LARGE_HEIGHT - LARGE_CHANGE;
    put_large_square(r, 0, 0);
    check_large_texel(t, AGPU_GREEN, "the last texel, part of a large copy between draws");
}

/* Given a buffer of 33 MiB, its last words must follow copies and dispatches. */
static void large_written_buffer(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t words[64];

    agpu_return_unless(agpu_draws_shaders(t));
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * 3 + 1; /* as the shader writes */
    }
    agpu_put_filled_buffer(r, LARGE, NULL, LARGE_BYTES);
    agpu_put_filled_buffer(r, LARGE_SOURCE, words, sizeof words);
    agpu_put_filled_buffer(r, LARGE_ZEROS, NULL, sizeof words);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    agpu_put_copy_buffer(r, LARGE, LARGE_BYTES - sizeof words, LARGE_SOURCE, 0, sizeof words, 0);
    for (uint32_t i = 0; i < 2; i++) { /* a dispatch beside the words, and one that writes them */
        agpu_put_uav(r, 0, LARGE, i == 0 ? 0 : LARGE_BYTES - sizeof words, sizeof words);
        agpu_put_dispatch(r, 1, 1, 1);
        agpu_put_readback(r, LARGE, LARGE_BYTES - sizeof words, sizeof words);
        agpu_return_unless(agpu_run_clean(t) && agpu_check_readback(t, words, sizeof words));
        agpu_put_readback_done(r);
        agpu_put_copy_buffer(r, LARGE, LARGE_BYTES - sizeof words, LARGE_ZEROS, 0, sizeof words, 0);
    }
}

/* An import must name what was drawn, whether the texture is bound, has a view, or neither. */
static void import_of_drawn(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t handle = LARGE + 10 * i;

        if (i == 1 && (!t->env->model || agpu_abi_minor(&t->env->abi) < 4)) { /* need not have views */
            continue;
        }
        agpu_put_target(r, handle, RGBA, AGPU_EDGE, AGPU_EDGE);
        if (i == 1) {
            agpu_put_view(r, handle + 2, handle, RGBA);
        }
        agpu_put_targets(r, handle, 0);
        agpu_put_draw(r, 4);
        if (i != 0) {
            agpu_put_targets(r, AGPU_TARGET, 0);
        }
        agpu_put_export(r, handle, AGPU_TOKEN + i);
        agpu_put_import(r, handle + 1, AGPU_TOKEN + i);
        agpu_return_unless(agpu_expect_target_all(t, handle + 1, RGBA, AGPU_WHITE, 0));
    }
}

static const struct agpu_case resource_drawn_large_cases[] = {
    AGPU_SCENE_CASE("render.seen.large_texture", "commands.md 6.4", 0, large_drawn_texture),
    AGPU_SCENE_CASE("render.seen.large_buffer", "commands.md 6.4", 0, large_written_buffer),
    AGPU_SCENE_CASE("render.seen.import", "commands.md 12", 0, import_of_drawn),
};

AGPU_CASE_TABLE(agpu_cases_resource_drawn_large, resource_drawn_large_cases);
