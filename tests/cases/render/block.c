/* block.c: texels that shaders read from block-compressed textures: end colours, interpolation, alpha, BC7's modes,
 * sRGB, mips smaller than a block (commands.md 5). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define PS AEROGPU_SHADER_STAGE_PIXEL

/* A block whose bits are written from the lowest up. */
struct bc_block {
    uint32_t words[4];
    uint32_t bits; /* bits written so far */
};

static void put_bits(struct bc_block *block, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, block->bits++) {
        block->words[block->bits / 32] |= (value >> i & 1) << block->bits % 32;
    }
}

/* The 16 texels that the case expects of its block, row by row. */
static uint32_t block_texels[16];

static uint32_t block_image(uint32_t x, uint32_t y)
{
    return block_texels[x / 4 + y / 4 * 4];
}

/* Draws one block over the whole target and compares the texels. */
static bool expect_block(struct agpu_test *t, uint32_t format, const struct bc_block *block, uint32_t bytes)
{
    agpu_put_destroy(agpu_rig_of(t), 30);
    agpu_put_create_texture(agpu_rig_of(t), 30, format, 4, 4, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, block->words, bytes);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
    return agpu_expect(t, block_image, 1);
}

static bool block_begin(struct agpu_test *t)
{
    if (!agpu_scene_begin(t)) {
        return false;
    }
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    return true;
}

/* ---- BC1, BC2, BC3 ---- */

#define RED_565  0xF800u
#define BLUE_565 0x001Fu

/* Writes end colours c0 and c1; texel i has index i mod 4. */
static void put_colors(struct bc_block *block, uint32_t c0, uint32_t c1)
{
    put_bits(block, c0, 16);
    put_bits(block, c1, 16);
    for (uint32_t i = 0; i < 16; i++) {
        put_bits(block, i % 4, 2);
    }
}

/* BC1 must decode to four colours if colour 0 is above colour 1, else to three and transparent black. */
static void block_bc1(struct agpu_test *t)
{
    static const uint32_t four[4] = {AGPU_RED, AGPU_BLUE, AGPU_RGBA(170, 0, 85, 255),
                                     AGPU_RGBA(85, 0, 170, 255)};
    static const uint32_t three[4] = {AGPU_BLUE, AGPU_RED, AGPU_RGBA(128, 0, 128, 255), AGPU_NOTHING};
    struct bc_block opaque = {0}, transparent = {0};

    agpu_return_unless(block_begin(t));
    put_colors(&opaque, RED_565, BLUE_565);
    for (uint32_t i = 0; i < 16; i++) {
        block_texels[i] = four[i % 4];
    }
    agpu_return_unless(expect_block(t, AEROGPU_FORMAT_BC1_RGBA_UNORM, &opaque, 8));
    put_colors(&transparent, BLUE_565, RED_565);
    for (uint32_t i = 0; i < 16; i++) {
        block_texels[i] = three[i % 4];
    }
    expect_block(t, AEROGPU_FORMAT_BC1_RGBA_UNORM, &transparent, 8);
}

/* BC2 must decode to four bits of alpha per texel, and always to four colours. */
static void block_bc2(struct agpu_test *t)
{
    static const uint32_t four[4] = {AGPU_BLUE, AGPU_RED, AGPU_RGBA(85, 0, 170, 0), AGPU_RGBA(170, 0, 85, 0)};
    struct bc_block block = {0};

    agpu_return_unless(block_begin(t));
    for (uint32_t i = 0; i < 16; i++) {
        put_bits(&block, i, 4);
        block_texels[i] = (four[i % 4] & 0xFFFFFFu) | i * 17 << 24;
    }
    put_colors(&block, BLUE_565, RED_565);
    expect_block(t, AEROGPU_FORMAT_BC2_RGBA_UNORM, &block, 16);
}

/* BC3 must decode to six alphas between the ends if alpha 0 is above alpha 1, else to four, 0 and 255. Texel i has
 * index i mod 8. */
static void block_bc3(struct agpu_test *t)
{
    static const uint32_t four[4] = {AGPU_BLUE, AGPU_RED, AGPU_RGBA(85, 0, 170, 0), AGPU_RGBA(170, 0, 85, 0)};
    static const uint8_t alphas[2][8] = {{255, 45, 225, 195, 165, 135, 105, 75},
                                         {50, 200, 80, 110, 140, 170, 0, 255}};

    agpu_return_unless(block_begin(t));
    for (uint32_t k = 0; k < 2; k++) {
        struct bc_block block = {0};

        put_bits(&block, alphas[k][0], 8);
        put_bits(&block, alphas[k][1], 8);
        for (uint32_t i = 0; i < 16; i++) {
            put_bits(&block, i % 8, 3);
            block_texels[i] = (four[i % 4] & 0xFFFFFFu) | (uint32_t)alphas[k][i % 8] << 24;
        }
        put_colors(&block, BLUE_565, RED_565);
        agpu_return_unless(expect_block(t, AEROGPU_FORMAT_BC3_RGBA_UNORM, &block, 16));
    }
}

/* ---- BC7 ---- */

static uint32_t block_between(uint32_t a, uint32_t b, uint32_t weight)
{
    return ((64 - weight) * a + weight * b + 32) >> 6;
}

/* BC7 mode 6 must decode: one pair of ends of 7 bits, each with its own extra bit, 16 steps. Texel i has index i. */
static void bc7_sixteen_steps(struct agpu_test *t)
{
    static const uint32_t weights[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
    static const uint32_t low[4] = {0, 127, 20, 127}, high[4] = {127, 0, 64, 3};
    struct bc_block block = {0};

    agpu_return_unless(block_begin(t));
    put_bits(&block, 1u << 6, 7);
    for (uint32_t c = 0; c < 4; c++) {
        put_bits(&block, low[c], 7);
        put_bits(&block, high[c], 7);
    }
    put_bits(&block, 0, 1);
    put_bits(&block, 1, 1);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t value[4];

        put_bits(&block, i, i == 0 ? 3 : 4); /* the first has one bit less */
        for (uint32_t c = 0; c < 4; c++) {
            value[c] = block_between(low[c] * 2, high[c] * 2 + 1, weights[i]);
        }
        block_texels[i] = AGPU_RGBA(value[0], value[1], value[2], value[3]);
    }
    expect_block(t, AEROGPU_FORMAT_BC7_RGBA_UNORM, &block, 16);
}

/* BC7 mode 1 must decode: two subsets with ends of 6 bits and a shared one, 8 steps, opaque. Partition 13 separates the
 * upper rows, whose texel i has index i, from the lower ones, which have one colour. */
static void bc7_two_subsets(struct agpu_test *t)
{
    static const uint32_t weights[8] = {0, 9, 18, 27, 37, 46, 55, 64};
    /* red, green, blue: ends of the upper, then of the lower subset */
    static const uint32_t ends[3][4] = {{0, 63, 10, 10}, {63, 0, 20, 20}, {32, 32, 60, 60}};
    const uint32_t shared[2] = {1, 0};
    struct bc_block block = {0};

    agpu_return_unless(block_begin(t));
    put_bits(&block, 1u << 1, 2);
    put_bits(&block, 13, 6);
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < 4; i++) {
            put_bits(&block, ends[c][i], 6);
        }
    }
    put_bits(&block, shared[0], 1);
    put_bits(&block, shared[1], 1);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t lower = i >= 8, index = lower ? 0 : i, value[3];

        put_bits(&block, index, i == 0 || i == 15 ? 2 : 3); /* the anchor of each subset has one bit less */
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t a = ends[c][2 * lower] << 1 | shared[lower];
            uint32_t b = ends[c][2 * lower + 1] << 1 | shared[lower];

            value[c] = block_between(a << 1 | a >> 6, b << 1 | b >> 6, weights[index]);
        }
        block_texels[i] = AGPU_RGBA(value[0], value[1], value[2], 255);
    }
    expect_block(t, AEROGPU_FORMAT_BC7_RGBA_UNORM, &block, 16);
}

/* BC7 mode 5 must decode with each rotation: alpha is swapped with nothing, red, green, blue. */
static void bc7_rotations(struct agpu_test *t)
{
    agpu_return_unless(block_begin(t));
    for (uint32_t rotation = 0; rotation < 4; rotation++) {
        uint32_t value[4] = {255, 0, 129, 170};
        struct bc_block block = {0};

        put_bits(&block, 1u << 5, 6);
        put_bits(&block, rotation, 2);
        for (uint32_t c = 0; c < 3; c++) {
            put_bits(&block, value[c] >> 1, 7);
            put_bits(&block, value[c] >> 1, 7);
        }
        put_bits(&block, value[3], 8);
        put_bits(&block, value[3], 8); /* all indices 0 */
        if (rotation) {
            value[3] = value[rotation - 1];
            value[rotation - 1] = 170;
        }
        for (uint32_t i = 0; i < 16; i++) {
            block_texels[i] = AGPU_RGBA(value[0], value[1], value[2], value[3]);
        }
        agpu_return_unless(expect_block(t, AEROGPU_FORMAT_BC7_RGBA_UNORM, &block, 16));
    }
}

/* ---- all ---- */

/* Block formats in sRGB must decode to linear light: red 189 of 255 (23 of 31) is 130, 188 is 128; alpha is linear
 * already. */
static void block_srgb(struct agpu_test *t)
{
    static const struct {
        uint32_t format, bytes;
        struct bc_block block;
        uint32_t color;
    } rows[] = {
        {AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, 8, {{0xB81FB81F}, 0}, AGPU_RGBA(130, 0, 255, 255)},
        {AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB,
         16,
         {{0x88888888, 0x88888888, 0xB81FB81F}, 0},
         AGPU_RGBA(130, 0, 255, 136)},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, 16, {{0x8040, 0, 0xB81FB81F}, 0}, AGPU_RGBA(130, 0, 255, 64)},
        /* Mode 5: red 94 of 7 bits is 189, green 0, blue 127; alpha 188. */
        {AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB,
         16,
         {{94u << 8 | 94u << 15 | 0x20, 127u << 4 | 127u << 11 | 188u << 18 | 188u << 26, 188u >> 6}, 0},
         AGPU_RGBA(130, 0, 255, 188)},
    };

    agpu_return_unless(block_begin(t));
    for (uint32_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        for (uint32_t i = 0; i < 16; i++) {
            block_texels[i] = rows[k].color;
        }
        agpu_part(t, "format %s", agpu_texel_name(rows[k].format));
        agpu_return_unless(expect_block(t, rows[k].format, &rows[k].block, rows[k].bytes));
    }
}

/* Mips of 8, 4, 2 and 1 texels: a small mip shows the upper left corner of its block. In the block of mip 2 texel i has
 * index i mod 4: two columns, red and blue. */
static uint32_t red_blue(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 8 ? AGPU_RED : AGPU_BLUE;
}

/* Given a block-compressed texture with mips smaller than a block, each mip must show its own colours. */
static void block_mips(struct agpu_test *t)
{
    static const uint32_t white[8] = {0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0};
    static const uint32_t green[2] = {0x07E007E0, 0};
    static const uint32_t colors[] = {AGPU_WHITE, AGPU_GREEN, 0, AGPU_RED};
    struct bc_block columns = {0};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 8, 0, 0)->mip_levels = 4;
    agpu_put_upload(agpu_rig_of(t), 30, 0, white, sizeof white);
    agpu_put_upload(agpu_rig_of(t), 30, 32, green, 8);
    put_colors(&columns, RED_565, BLUE_565);
    agpu_put_upload(agpu_rig_of(t), 30, 40, columns.words, 8);
    agpu_put_upload(agpu_rig_of(t), 30, 48, columns.words, 8);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 16);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 16);
    for (uint32_t i = 0; i < 4; i++) {
        const float level[4] = {(float)i, 0, 0, 0};

        agpu_put_upload(agpu_rig_of(t), 40, 0, level, sizeof level);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(i == 2 ? agpu_expect(t, red_blue, 1) : agpu_expect_all(t, colors[i], 1));
    }
}

static const struct agpu_case render_block_cases[] = {
    AGPU_SCENE_CASE("render.block.bc1", "commands.md 5", 0, block_bc1),
    AGPU_SCENE_CASE("render.block.bc2", "commands.md 5", 0, block_bc2),
    AGPU_SCENE_CASE("render.block.bc3", "commands.md 5", 0, block_bc3),
    AGPU_SCENE_CASE("render.block.bc7_sixteen_steps", "commands.md 5", 0, bc7_sixteen_steps),
    AGPU_SCENE_CASE("render.block.bc7_two_subsets", "commands.md 5", 0, bc7_two_subsets),
    AGPU_SCENE_CASE("render.block.bc7_rotations", "commands.md 5", 0, bc7_rotations),
    AGPU_SCENE_CASE("render.block.srgb", "commands.md 5", 0, block_srgb),
    AGPU_SCENE_CASE("render.block.mips", "commands.md 5", 0, block_mips),
};

AGPU_CASE_TABLE(agpu_cases_render_block, render_block_cases);
