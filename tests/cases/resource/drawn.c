/* drawn.c: copies, clears and uploads between draws: a draw sees every earlier change, and a change does not lose drawn
 * texels beside it (commands.md 6, 11). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texture_read.h"

#define EDGE AGPU_EDGE
#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define D24  AEROGPU_FORMAT_D24_UNORM_S8_UINT
#define PS   AEROGPU_SHADER_STAGE_PIXEL

#define SHOWN 30u /* a texture that is drawn texel by texel */

static uint32_t shown_texels[EDGE * EDGE];

static uint32_t shown_image(uint32_t x, uint32_t y)
{
    return shown_texels[y * EDGE + x];
}

/* Creates texture SHOWN, with other texels for each seed, and the state that draws it 1:1. */
static void put_shown(struct agpu_test *t, uint32_t seed)
{
    agpu_fill_origin(shown_texels, sizeof shown_texels, seed, AGPU_FROM_DEVICE);
    agpu_put_create_texture(agpu_rig_of(t), SHOWN, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_upload(agpu_rig_of(t), SHOWN, 0, shown_texels, sizeof shown_texels);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, SHOWN);
    agpu_put_draw(agpu_rig_of(t), 3);
}

static void put_texel(struct agpu_test *t, uint32_t at, uint32_t texel)
{
    shown_texels[at] = texel;
    agpu_put_upload(agpu_rig_of(t), SHOWN, at * 4, &texel, sizeof texel);
}

/* Given many places of a texture that change between two draws, the second must show all, including the first and the
 * last texel. */
static void drawn_many_places(struct agpu_test *t)
{
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_ROW_PARTS) && agpu_scene_begin(t));
    put_shown(t, 1);
    for (uint32_t i = 0; i < 61; i++) {
        put_texel(t, i * 37 % (EDGE * EDGE - 2) + 1, AGPU_RGBA(i, 255 - i, 3 * i, 255));
    }
    put_texel(t, 0, AGPU_BLUE);
    put_texel(t, EDGE * EDGE - 1, AGPU_GREEN);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect(t, shown_image, 0));
    /* Also powers of two of changes to one place. */
    for (uint32_t count = 1; count <= 256; count *= 2) {
        for (uint32_t i = 0; i < count; i++) {
            put_texel(t, count % (EDGE * EDGE), AGPU_RGBA(i, count / 2, 7, 255));
        }
        agpu_put_draw(agpu_rig_of(t), 3);
        agpu_return_unless(agpu_expect(t, shown_image, 0));
    }
}

/* Given rows that the CPU wrote into the memory of a drawn target, they must show after their dirty range and a draw to
 * other rows. A device may read more than the range (commands.md 6.2). */
static void drawn_then_dirty(struct agpu_test *t)
{
    static uint32_t rows[EDGE * EDGE];
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t *memory = r->memory[0].cpu;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_fill_origin(memory, sizeof rows, 1, AGPU_FROM_GUEST);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 31, RGBA, EDGE, EDGE, EDGE * 4, 10)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    agpu_put_dirty(r, 31, 0, sizeof rows);
    agpu_put_targets(r, 31, 0);
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 1);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(memory + 8 * EDGE, 4 * EDGE * 4, 2, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 31, 8 * EDGE * 4, 4 * EDGE * 4);
    agpu_put_scissor(r, 0, 0, EDGE, 4);
    agpu_put_rasterizer(r)->scissor_enable = 1;
    agpu_put_draw(r, 4);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, 31, RGBA, 0, 0, EDGE, EDGE);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < EDGE; y++) {
        if (y >= 8 && y < 12) {
            memcpy(rows + y * EDGE, memory + y * EDGE, EDGE * 4);
        } else if (t->env->model || y < 4) {
            memset(rows + y * EDGE, 0xFF, EDGE * 4);
        } else {
            memcpy(rows + y * EDGE, agpu_texture_read_row(r, 0, y), EDGE * 4);
        }
    }
    agpu_check_texture_read(t, 0, rows, 0, "a drawn target after a dirty range and a draw");
}

/* Changes far apart must show: in a texture of 256 KiB, of which the target shows every 16th texel of every 16th
 * row. */
static void drawn_places_far_apart(struct agpu_test *t)
{
    enum { BIG = EDGE * EDGE };
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_FIRST_PARTS) && agpu_scene_begin(t));
    agpu_put_create_texture(r, SHOWN, RGBA, BIG, BIG, 0, 0);
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_texture_slot(r, PS, 0, SHOWN);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        const uint32_t at = i * 91 % (EDGE * EDGE); /* in no order */
        const uint32_t texel = AGPU_RGBA(at, 255 - at, 1, 255);

        shown_texels[at] = texel;
        agpu_put_upload(r, SHOWN, ((at / EDGE * EDGE + EDGE / 2) * BIG + at % EDGE * EDGE + EDGE / 2) * 4,
                        &texel, sizeof texel);
    }
    agpu_put_draw(r, 4);
    agpu_expect(t, shown_image, 0);
}

/* The same number of changes to a buffer that shaders read must show in the next draw. */
static void drawn_buffer_changes(struct agpu_test *t)
{
    static const uint32_t counts[] = {1, 2, 255, 256, 512};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_pixel(t, &agpu_ps_constant_5_0);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 16);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 0);
    agpu_put_draw(agpu_rig_of(t), 3);
    for (uint32_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (uint32_t i = 0; i < counts[c]; i++) {
            const float color[4] = {c % 2 == 0, i + 1 == counts[c], 1, 1};

            agpu_put_upload(agpu_rig_of(t), 40, 0, color, sizeof color);
        }
        agpu_put_draw(agpu_rig_of(t), 3);
        agpu_return_unless(agpu_expect_all(t, c % 2 == 0 ? AGPU_WHITE : AGPU_RGBA(0, 255, 255, 255), 0));
    }
}

/* Given a copy into a texture that was drawn from, the next draw must show all of its rows. */
static void drawn_copy_is_seen(struct agpu_test *t)
{
    struct aerogpu_cmd_copy_texture2d *copy;
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t other[EDGE * EDGE];

    agpu_return_unless(agpu_scene_begin(t));
    put_shown(t, 2);
    agpu_fill_origin(other, sizeof other, 3, AGPU_FROM_SOURCE);
    agpu_put_create_texture(r, 31, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_upload(r, 31, 0, other, sizeof other);
    copy = agpu_put_copy_texture(r, SHOWN, 31, 5, 9, AEROGPU_COPY_FLAG_NONE);
    copy->src_x = 2;
    copy->src_y = 6;
    copy->dst_x = 10;
    copy->dst_y = 4;
    for (uint32_t y = 0; y < 9; y++) {
        memcpy(&shown_texels[(4 + y) * EDGE + 10], &other[(6 + y) * EDGE + 2], 5 * 4);
    }
    agpu_put_draw(r, 3);
    agpu_return_unless(agpu_expect(t, shown_image, 0));
    agpu_put_copy_texture(r, SHOWN, 31, EDGE, EDGE, AEROGPU_COPY_FLAG_NONE);
    memcpy(shown_texels, other, sizeof other);
    agpu_put_draw(r, 3);
    agpu_expect(t, shown_image, 0);
}

/* Given a clear of a texture that was drawn from, the next draw must show it. */
static void drawn_clear_is_seen(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_put_target(r, SHOWN + 2, RGBA, EDGE, EDGE);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_texture_slot(r, PS, 0, SHOWN + 2);
    agpu_put_draw(r, 3);
    agpu_put_texture_slot(r, PS, 0, 0);
    agpu_put_targets(r, SHOWN + 2, 0);
    agpu_put_clear_color(r, 0, 0, 1, 1);
    agpu_put_targets(r, AGPU_TARGET, 0);
    agpu_put_texture_slot(r, PS, 0, SHOWN + 2);
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* Given a change of a smaller mip alone between two draws, by an upload and by a copy, the second draw must show it. */
static void drawn_mip_change(struct agpu_test *t)
{
    static const float level_1[4] = {1, 0, 0, 0};
    uint32_t texels[EDGE * EDGE / 4];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    agpu_put_create_texture(r, SHOWN, RGBA, EDGE, EDGE, 0, 0)->mip_levels = 2;
    agpu_put_texture_slot(r, PS, 0, SHOWN);
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_put_filled_buffer(r, 40, level_1, sizeof level_1);
    agpu_put_constants(r, PS, 0, 40, 0, 16);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_NOTHING, 0));
    for (uint32_t i = 0; i < EDGE * EDGE / 4; i++) {
        texels[i] = AGPU_GREEN;
    }
    agpu_put_upload(r, SHOWN, EDGE * EDGE * 4, texels, sizeof texels);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_GREEN, 0));
    for (uint32_t i = 0; i < EDGE * EDGE / 4; i++) {
        texels[i] = AGPU_RED;
    }
    agpu_put_create_texture(r, 31, RGBA, EDGE / 2, EDGE / 2, 0, 0);
    agpu_put_upload(r, 31, 0, texels, sizeof texels);
    agpu_put_copy_texture(r, SHOWN, 31, EDGE / 2, EDGE / 2, AEROGPU_COPY_FLAG_NONE)->dst_mip_level = 1;
    agpu_put_draw(r, 4);
    agpu_expect_all(t, AGPU_RED, 0);
}

static uint32_t middle_layers(uint32_t x, uint32_t y)
{
    (void)y;
    return x / 4 == 1 || x / 4 == 2 ? AGPU_GREEN : AGPU_NOTHING;
}

/* Given one upload to two mips, and one to two layers, of a texture that was drawn from, the next draw must show the
 * last of them. */
static void drawn_several_parts(struct agpu_test *t)
{
    static const float level_2[4] = {2, 0, 0, 0};
    enum { TEXELS = EDGE * EDGE };
    uint32_t texels[2 * TEXELS];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS | AGPU_ASKS_FIRST_PARTS) && agpu_scene_begin(t));
    for (uint32_t i = 0; i < 2 * TEXELS; i++) {
        texels[i] = AGPU_GREEN;
    }
    agpu_put_sampler(r, 0, 50, AEROGPU_SAMPLER_FILTER_NEAREST, AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE);
    agpu_put_filled_buffer(r, 40, level_2, sizeof level_2);
    agpu_put_constants(r, PS, 0, 40, 0, 16);
    agpu_put_create_texture(r, SHOWN, RGBA, EDGE, EDGE, 0, 0)->mip_levels = 3;
    agpu_put_create_texture(r, SHOWN + 1, RGBA, EDGE, EDGE, 0, 0)->array_layers = 4;
    for (uint32_t layers = 0; layers < 2; layers++) {
        agpu_scene_textured(t, layers ? &agpu_ps_array_4_0 : &agpu_ps_sample_level_4_0, 1);
        agpu_put_texture_slot(r, PS, 0, SHOWN + layers);
        agpu_put_draw(r, 4);
        agpu_put_upload(r, SHOWN + layers, TEXELS * 4, texels,
                        layers ? sizeof texels : (TEXELS / 4 + TEXELS / 16) * 4);
        agpu_put_draw(r, 4);
        agpu_return_unless(layers ? agpu_expect(t, middle_layers, 0) : agpu_expect_all(t, AGPU_GREEN, 0));
    }
}

/* Drawn texels must remain beside a later upload, copy or clear. */
static void drawing_stays(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    static const uint32_t green = AGPU_GREEN;
    uint32_t texels[EDGE * EDGE];
    struct aerogpu_cmd_copy_texture2d *copy;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_ROW_PARTS) && agpu_scene_begin(t));
    put_shown(t, 5);
    agpu_put_upload(r, AGPU_TARGET, (3 * EDGE + 7) * 4, &green, sizeof green);
    shown_texels[3 * EDGE + 7] = green;
    agpu_return_unless(agpu_expect(t, shown_image, 0));

    agpu_put_draw(r, 3);
    agpu_put_texture_slot(r, PS, 0, 0);
    agpu_fill_origin(texels, sizeof texels, 6, AGPU_FROM_SOURCE);
    agpu_put_create_texture(r, 31, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_upload(r, 31, 0, texels, sizeof texels);
    copy = agpu_put_copy_texture(r, AGPU_TARGET, 31, 3, 2, AEROGPU_COPY_FLAG_NONE);
    copy->dst_x = 13;
    copy->dst_y = 14;
    agpu_fill_origin(shown_texels, sizeof shown_texels, 5, AGPU_FROM_DEVICE);
    memcpy(&shown_texels[14 * EDGE + 13], texels, 12);
    memcpy(&shown_texels[15 * EDGE + 13], texels + EDGE, 12);
    agpu_expect(t, shown_image, 0);
}

/* A draw that writes depth must leave each texel its stencil, also in the last column of an odd width; a clear of one
 * aspect must leave the drawn values of the other. */
static void drawn_depth_and_stencil(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    enum { WIDTH = EDGE - 1, TEXELS = WIDTH * EDGE };
    uint32_t texels[TEXELS];
    uint32_t found[AGPU_IMAGE_TEXELS];
    struct aerogpu_cmd_clear *clear;

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, D24));
    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t i = 0; i < TEXELS; i++) {
        texels[i] = i << 24 | 0xFFFFFF;
    }
    agpu_scene_solid(t, 0.25f, 1, 1, 1, 1);
    agpu_put_target(r, SHOWN, D24, WIDTH, EDGE);
    agpu_put_target(r, SHOWN + 1, RGBA, WIDTH, EDGE);
    agpu_put_upload(r, SHOWN, 0, texels, sizeof texels);
    agpu_put_targets(r, SHOWN + 1, SHOWN);
    agpu_put_depth_state(r, 1, 1, AEROGPU_COMPARE_LESS);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_scene_read(t, SHOWN, D24, WIDTH, EDGE, found));
    for (uint32_t i = 0; i < TEXELS; i++) {
        agpu_return_unless(agpu_check_eq_hex(t, found[i] >> 24, i));
        agpu_return_unless(agpu_check(t, (found[i] & 0xFFFFFF) - 0x3FFFFE <= 3));
    }
    /* Draws again, then clears the stencil alone. */
    agpu_scene_solid(t, 0.125f, 1, 1, 1, 1);
    agpu_put_draw(r, 4);
    clear = agpu_rig_packet(r, AEROGPU_CMD_CLEAR, sizeof *clear);
    clear->flags = AEROGPU_CLEAR_STENCIL;
    clear->stencil = 0xE7;
    agpu_return_unless(agpu_scene_read(t, SHOWN, D24, WIDTH, EDGE, found));
    for (uint32_t i = 0; i < TEXELS; i++) {
        agpu_return_unless(agpu_check_eq_hex(t, found[i] >> 24, 0xE7));
        agpu_return_unless(agpu_check(t, (found[i] & 0xFFFFFF) - 0x1FFFFE <= 3));
    }
}

/* The X byte of a target must not act as its alpha, whatever it holds. */
static void drawn_x8_alpha(struct agpu_test *t)
{
    static const uint32_t zeros[EDGE * EDGE];
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_blend_state *blend;
    uint32_t texels[AGPU_IMAGE_TEXELS];

    agpu_return_unless(agpu_scene_begin(t));
    agpu_put_target(r, SHOWN, AEROGPU_FORMAT_B8G8R8X8_UNORM, EDGE, EDGE);
    agpu_put_upload(r, SHOWN, 0, zeros, sizeof zeros);
    agpu_put_targets(r, SHOWN, 0);
    agpu_scene_solid(t, 0.5f, 1, 1, 1, 0.25f);
    blend = agpu_put_blend(r);
    blend->enable = 1;
    blend->src_factor = AEROGPU_BLEND_DEST_ALPHA;
    blend->dst_factor = AEROGPU_BLEND_ZERO;
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_scene_read(t, SHOWN, AEROGPU_FORMAT_B8G8R8X8_UNORM, EDGE, EDGE, texels));
    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        agpu_return_unless(agpu_check_eq_hex(t, texels[i] & 0xFFFFFF, 0xFFFFFF));
    }
}

/* Given two mips and two layers drawn in different colours, reads must return all of them, and a clear of one must
 * leave the others. */
static void drawn_subresources(struct agpu_test *t)
{
    enum { PARTS = 6, ROUNDS = 5 };
    /* Pairs of one mip, of one layer, of neither; and all of them. */
    static const uint8_t rounds[ROUNDS][2] = {{0, 2}, {1, 3}, {2, 4}, {3, 5}, {0, PARTS}};
    static const struct {
        uint32_t mip, layer;
        float red, green;
    } parts[] = {{0, 0, 1, 0}, {0, 1, 0, 1}, {1, 1, 1, 1}, {1, 0, 0, 0}, {0, 2, 0, 1}, {1, 2, 1, 0}};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t texels[EDGE * EDGE];

    agpu_return_unless(executor != NULL);
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));
    agpu_return_unless(agpu_scene_begin(t));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t first = rounds[round][0];
        const uint32_t end = rounds[round][1];
        struct aerogpu_cmd_create_texture2d *texture;

        agpu_put_destroy(r, SHOWN);
        texture = agpu_put_target(r, SHOWN, RGBA, EDGE, EDGE);
        texture->mip_levels = 2;
        texture->array_layers = 3;
        agpu_reads_begin(r);
        for (uint32_t i = first; i < end; i++) {
            struct aerogpu_cmd_create_texture_view *view =
                agpu_put_view(r, 100 + PARTS * round + i, SHOWN, RGBA);
            const float edge = (float)(EDGE >> parts[i].mip);

            view->base_mip_level = parts[i].mip;
            view->base_array_layer = parts[i].layer;
            agpu_put_targets(r, 100 + PARTS * round + i, 0);
            agpu_scene_solid(t, 0.5f, parts[i].red, parts[i].green, 1, 1);
            agpu_put_viewport(r, &(struct agpu_viewport){0, 0, edge, edge, 0, 1});
            agpu_put_draw(r, 4);
        }
        if (round == ROUNDS - 1) { /* the last one becomes black by a clear */
            agpu_put_clear_color(r, 0, 0, 0, 1);
        }
        for (uint32_t i = first; i < end; i++) {
            agpu_put_texture_read(r, SHOWN, RGBA, parts[i].mip, parts[i].layer, EDGE >> parts[i].mip,
                                  EDGE >> parts[i].mip);
        }
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = first; i < end; i++) {
            for (uint32_t k = 0; k < EDGE * EDGE; k++) {
                texels[k] =
                    round == ROUNDS - 1 && i == PARTS - 1
                        ? AGPU_RGBA(0, 0, 0, 255)
                        : AGPU_RGBA(parts[i].red > 0 ? 255 : 0, parts[i].green > 0 ? 255 : 0, 255, 255);
            }
            agpu_return_unless(
                agpu_check_texture_read(t, i - first, texels, 0, "a subresource that was drawn to"));
        }
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Given words that the CPU wrote into the memory of a buffer between two dispatches, they must show after their dirty
 * range and a dispatch that writes other words. A device may read more than the range. */
static void drawn_dirty_between(struct agpu_test *t, const uint32_t other[16])
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t *memory = r->memory[0].cpu, words[64];

    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * 3 + 1;
    }
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, 43, sizeof words, 10, 0);
    agpu_put_dirty(r, 43, 0, sizeof words);
    agpu_put_uav(r, 0, 43, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    memcpy(words + 32, other, 64);
    if (t->env->model) {
        memcpy(memory + 32, other, 64);
    } else {
        memcpy(memory, words, sizeof words);
    }
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 43, 32 * 4, 64);
    agpu_put_uav(r, 0, 43, 0, 64);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_readback(r, 43, 0, sizeof words);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, words, sizeof words);
}

/* A copy must read the result of a dispatch, and a copy, upload or dirty range must not change the dispatch's bytes
 * beside it. */
static void drawn_between_dispatches(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t words[64];
    uint32_t other[16];

    agpu_return_unless(agpu_draws_shaders(t));
    agpu_fill_origin(other, sizeof other, 7, AGPU_FROM_SOURCE);
    agpu_put_filled_buffer(r, 40, NULL, sizeof words);
    agpu_put_filled_buffer(r, 41, NULL, sizeof words);
    agpu_put_filled_buffer(r, 42, other, sizeof other);
    agpu_put_shader(r, AGPU_CS, &agpu_cs_fill_4_0);
    agpu_put_bind_shaders(r, &(struct agpu_stages){.cs = AGPU_CS});
    agpu_put_uav(r, 0, 40, 0, 0);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_readback(r, 40, 0, sizeof words);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * 3 + 1;
    }
    agpu_return_unless(agpu_check_readback(t, words, sizeof words));
    agpu_put_readback_done(r);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_copy_buffer(r, 40, 32, 42, 0, sizeof other, AEROGPU_COPY_FLAG_NONE);
    agpu_put_copy_buffer(r, 41, 0, 40, 0, sizeof words, AEROGPU_COPY_FLAG_NONE);
    agpu_put_readback(r, 41, 0, sizeof words);
    agpu_return_unless(agpu_run_clean(t));
    memcpy(words + 8, other, sizeof other);
    agpu_return_unless(agpu_check_readback(t, words, sizeof words));
    agpu_put_readback_done(r);
    agpu_put_dispatch(r, 1, 1, 1);
    agpu_put_upload(r, 40, 60, other, 8);
    agpu_put_readback(r, 40, 0, sizeof words);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 64; i++) {
        words[i] = i * 3 + 1;
    }
    memcpy(words + 15, other, 8);
    agpu_return_unless(agpu_check_readback(t, words, sizeof words));
    agpu_put_readback_done(r);
    drawn_dirty_between(t, other);
}

static const struct agpu_case resource_drawn_cases[] = {
    AGPU_SCENE_CASE("render.seen.many_places", "commands.md 6.3", 0, drawn_many_places),
    AGPU_SCENE_CASE("render.seen.places_far_apart", "commands.md 6.3", 0, drawn_places_far_apart),
    AGPU_SCENE_CASE("render.seen.number_of_changes", "commands.md 6.3", 0, drawn_buffer_changes),
    AGPU_SCENE_CASE("render.seen.copy", "commands.md 6.4", 0, drawn_copy_is_seen),
    AGPU_SCENE_CASE("render.seen.clear", "commands.md 11", 0, drawn_clear_is_seen),
    AGPU_SCENE_CASE("render.seen.smaller_mip", "commands.md 6.3", 0, drawn_mip_change),
    AGPU_SCENE_CASE("render.seen.several_parts", "commands.md 6.3", 0, drawn_several_parts),
    AGPU_SCENE_CASE("render.kept.beside_changes", "commands.md 6.3", 0, drawing_stays),
    AGPU_SCENE_CASE("render.kept.depth_and_stencil", "commands.md 8", 0, drawn_depth_and_stencil),
    AGPU_SCENE_CASE("render.kept.dirty_over_drawing", "commands.md 6.2", 0, drawn_then_dirty),
    AGPU_SCENE_CASE("render.kept.x8_alpha", "commands.md 5", 0, drawn_x8_alpha),
    AGPU_SCENE_CASE("render.kept.subresources", "commands.md 15", 0, drawn_subresources),
    AGPU_SCENE_CASE("copy.buffer.beside_shader_writes", "commands.md 6.4", 0, drawn_between_dispatches),
};

AGPU_CASE_TABLE(agpu_cases_resource_drawn, resource_drawn_cases);
