/* test_inspect_image.c: conversion of stored pixels to RGBA, and the cursor blended over a screen, compared with closed
 * formulas (device.md 4.8, 4.9; commands.md 5). */
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/inspect/bc.h"
#include "tests/device/inspect/image.h"
#include "tests/unit/test.h"

/* Converts one pixel of at most 4 bytes. Returns R << 24 | G << 16 | B << 8 | A. */
static uint32_t convert(uint32_t format, uint32_t stored)
{
    uint8_t bytes[4] = {(uint8_t)stored, (uint8_t)(stored >> 8), (uint8_t)(stored >> 16),
                        (uint8_t)(stored >> 24)};
    const struct vgpu_pixels pixels = {
        .format = format, .width = 1, .height = 1, .row_bytes = 4, .rows = 1, .bytes = bytes};
    uint8_t rgba[4];

    assert_null(vgpu_pixels_to_rgba(&pixels, rgba));
    return (uint32_t)rgba[0] << 24 | (uint32_t)rgba[1] << 16 | (uint32_t)rgba[2] << 8 | rgba[3];
}

/* device.md 4.8: byte order, X8 opaque, sRGB bytes as they are. */
TEST(formats_of_32_bits)
{
    assert_int_equal(convert(AEROGPU_FORMAT_B8G8R8A8_UNORM, 0x80112233), 0x11223380);
    assert_int_equal(convert(AEROGPU_FORMAT_B8G8R8X8_UNORM, 0x80112233), 0x112233FF);
    assert_int_equal(convert(AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x80112233), 0x33221180);
    assert_int_equal(convert(AEROGPU_FORMAT_R8G8B8X8_UNORM, 0x80112233), 0x332211FF);
    assert_int_equal(convert(AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 0x80112233), 0x11223380);
    assert_int_equal(convert(AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, 0x80112233), 0x112233FF);
    assert_int_equal(convert(AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 0x80112233), 0x33221180);
    assert_int_equal(convert(AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, 0x80112233), 0x332211FF);
}

/* device.md 4.8: every value of every channel of the 16-bit formats. */
TEST(formats_of_16_bits)
{
    for (uint32_t v = 0; v < 32; v++) {
        const uint32_t wide = v << 3 | v >> 2;

        assert_int_equal(convert(AEROGPU_FORMAT_B5G6R5_UNORM, v), wide << 8 | 0xFF);
        assert_int_equal(convert(AEROGPU_FORMAT_B5G6R5_UNORM, v << 11), wide << 24 | 0xFF);
        assert_int_equal(convert(AEROGPU_FORMAT_B5G5R5A1_UNORM, v), wide << 8);
        assert_int_equal(convert(AEROGPU_FORMAT_B5G5R5A1_UNORM, v << 5), wide << 16);
        assert_int_equal(convert(AEROGPU_FORMAT_B5G5R5A1_UNORM, v << 10), wide << 24);
    }
    for (uint32_t v = 0; v < 64; v++) {
        assert_int_equal(convert(AEROGPU_FORMAT_B5G6R5_UNORM, v << 5), (v << 2 | v >> 4) << 16 | 0xFF);
    }
    assert_int_equal(convert(AEROGPU_FORMAT_B5G5R5A1_UNORM, 0x8000), 0x000000FF);
    assert_int_equal(convert(AEROGPU_FORMAT_B5G5R5A1_UNORM, 0xFFFF), 0xFFFFFFFF);
}

static uint32_t bits(float value)
{
    uint32_t result;

    memcpy(&result, &value, sizeof result);
    return result;
}

/* Depth becomes grey, clamped. Stencil is not shown. */
TEST(depth)
{
    assert_int_equal(convert(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xAB000000), 0x000000FF);
    assert_int_equal(convert(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0xAB7F1234), 0x7F7F7FFF);
    assert_int_equal(convert(AEROGPU_FORMAT_D24_UNORM_S8_UINT, 0x00FFFFFF), 0xFFFFFFFF);
    assert_int_equal(convert(AEROGPU_FORMAT_D32_FLOAT, bits(0.0f)), 0x000000FF);
    assert_int_equal(convert(AEROGPU_FORMAT_D32_FLOAT, bits(0.5f)), 0x808080FF);
    assert_int_equal(convert(AEROGPU_FORMAT_D32_FLOAT, bits(1.0f)), 0xFFFFFFFF);
    assert_int_equal(convert(AEROGPU_FORMAT_D32_FLOAT, bits(9.0f)), 0xFFFFFFFF);
    assert_int_equal(convert(AEROGPU_FORMAT_D32_FLOAT, bits(-1.0f)), 0x000000FF);
    assert_int_equal(convert(AEROGPU_FORMAT_D32_FLOAT, 0x7FC00000), 0x000000FF); /* NaN */
}

TEST(refused)
{
    uint8_t bytes[16] = {0};
    uint8_t rgba[64];
    struct vgpu_pixels pixels = {.format = AEROGPU_FORMAT_BC7_RGBA_UNORM,
                                 .width = 4,
                                 .height = 4,
                                 .row_bytes = 16,
                                 .rows = 1,
                                 .bytes = bytes};

    assert_non_null(strstr(vgpu_pixels_to_rgba(&pixels, rgba), "BC7"));
    pixels.format = AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB;
    assert_non_null(strstr(vgpu_pixels_to_rgba(&pixels, rgba), "BC7"));
    pixels.format = 999;
    assert_non_null(vgpu_pixels_to_rgba(&pixels, rgba));
}

static void assert_texel(const uint8_t texel[4], uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    const uint8_t expected[4] = {r, g, b, a};

    assert_memory_equal(texel, expected, 4);
}

/* The first end point is greater: four colours at thirds. Texels 0 to 3 use index 0 to 3. */
TEST(bc1_four_colours)
{
    const uint8_t block[8] = {0x00, 0xF8, 0x1F, 0x00, 0xE4, 0, 0, 0}; /* red, blue */
    uint8_t texels[16][4];

    vgpu_bc1_decode(block, texels);
    assert_texel(texels[0], 255, 0, 0, 255);
    assert_texel(texels[1], 0, 0, 255, 255);
    assert_texel(texels[2], 170, 0, 85, 255);
    assert_texel(texels[3], 85, 0, 170, 255);
    assert_texel(texels[15], 255, 0, 0, 255);
}

/* The first end point is not greater: the middle colour, and transparent black. */
TEST(bc1_three_colours)
{
    const uint8_t block[8] = {0x1F, 0x00, 0x00, 0xF8, 0xE4, 0, 0, 0xC0};
    uint8_t texels[16][4];

    vgpu_bc1_decode(block, texels);
    assert_texel(texels[0], 0, 0, 255, 255);
    assert_texel(texels[1], 255, 0, 0, 255);
    assert_texel(texels[2], 128, 0, 128, 255);
    assert_texel(texels[3], 0, 0, 0, 0);
    assert_texel(texels[15], 0, 0, 0, 0);
}

/* BC2: alpha has 4 bits per texel, and there are always four colours. */
TEST(bc2)
{
    uint8_t block[16] = {0xA5, 0xF0, 0, 0, 0, 0, 0, 0x70, 0x1F, 0x00, 0x00, 0xF8, 0xE4, 0, 0, 0};
    uint8_t texels[16][4];

    vgpu_bc2_decode(block, texels);
    assert_texel(texels[0], 0, 0, 255, 0x55);
    assert_texel(texels[1], 255, 0, 0, 0xAA);
    assert_texel(texels[2], 85, 0, 170, 0x00);
    assert_texel(texels[3], 170, 0, 85, 0xFF);
    assert_texel(texels[15], 0, 0, 255, 0x77);
}

/* BC3: alpha interpolated in 8 steps, or in 6 with 0 and 255. Indices 0 to 7 in texels 0 to 7. */
TEST(bc3)
{
    const uint8_t ladder[6] = {0x88, 0xC6, 0xFA, 0x88, 0xC6, 0xFA};
    const uint8_t eight[8] = {210, 0, 180, 150, 120, 90, 60, 30};
    const uint8_t six[8] = {0, 100, 20, 40, 60, 80, 0, 255};
    uint8_t block[16] = {210, 0};
    uint8_t texels[16][4];

    memcpy(block + 2, ladder, sizeof ladder);
    vgpu_bc3_decode(block, texels);
    for (unsigned i = 0; i < 16; i++) {
        assert_texel(texels[i], 0, 0, 0, eight[i % 8]);
    }
    block[0] = 0;
    block[1] = 100;
    vgpu_bc3_decode(block, texels);
    for (unsigned i = 0; i < 16; i++) {
        assert_texel(texels[i], 0, 0, 0, six[i % 8]);
    }
}

/* Each block format has its decoder. sRGB values stay as stored. */
TEST(block_formats)
{
    const struct {
        uint32_t format;
        uint32_t block_bytes;
        uint8_t alpha;
    } formats[] = {
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 0xFF},  {AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, 8, 0xFF},
        {AEROGPU_FORMAT_BC2_RGBA_UNORM, 16, 0x11}, {AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB, 16, 0x11},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM, 16, 0x41}, {AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB, 16, 0x41},
    };

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        uint8_t block[16] = {0};
        uint8_t rgba[64];
        const struct vgpu_pixels pixels = {.format = formats[i].format,
                                           .width = 4,
                                           .height = 4,
                                           .row_bytes = formats[i].block_bytes,
                                           .rows = 1,
                                           .bytes = block};

        if (formats[i].block_bytes == 16) { /* BC2: texel 0 has alpha 1 of 15; BC3: the first of two alphas */
            block[0] = 0x41;
        }
        block[formats[i].block_bytes - 8] |= 0x10; /* blue 16 of 31, or with BC1 the same byte */
        assert_null(vgpu_pixels_to_rgba(&pixels, rgba));
        assert_texel(rgba, 0, 0, 0x84, formats[i].alpha);
    }
}

/* Blocks that extend past the image are cut: 5 x 6 texels from 2 x 2 blocks. */
TEST(blocks_at_the_edge)
{
    uint8_t blocks[4][8] = {{0}};
    uint8_t rgba[5 * 6 * 4 + 4];
    const struct vgpu_pixels pixels = {.format = AEROGPU_FORMAT_BC1_RGBA_UNORM,
                                       .width = 5,
                                       .height = 6,
                                       .row_bytes = 16,
                                       .rows = 2,
                                       .bytes = blocks[0]};

    for (unsigned i = 0; i < 4; i++) { /* solid blue of 8 * i in 5 bits, index 0 */
        blocks[i][0] = (uint8_t)(i * 8);
    }
    memset(rgba, 0xEE, sizeof rgba);
    assert_null(vgpu_pixels_to_rgba(&pixels, rgba));
    for (uint32_t y = 0; y < 6; y++) {
        for (uint32_t x = 0; x < 5; x++) {
            const uint32_t v = (y / 4 * 2 + x / 4) * 8;

            assert_texel(rgba + (y * 5 + x) * 4, 0, 0, (uint8_t)(v << 3 | v >> 2), 255);
        }
    }
    assert_int_equal(rgba[5 * 6 * 4], 0xEE);
}

/* device.md 4.9: one cursor pixel over one screen pixel, every alpha. */
TEST(blend)
{
    for (uint32_t alpha = 0; alpha < 256; alpha++) {
        uint8_t under[4] = {10, 200, 255, 0x12};
        uint8_t over[4] = {250, 100, 0, (uint8_t)alpha};
        const uint8_t before[3] = {10, 200, 255};
        const struct vgpu_image screen = {1, 1, under};
        const struct vgpu_image cursor = {1, 1, over};

        vgpu_cursor_compose(&screen, &cursor, 0, 0);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(under[i], (over[i] * alpha + before[i] * (255 - alpha) + 127) / 255);
        }
        assert_int_equal(under[3], alpha == 0 ? 0x12 : 0xFF);
    }
}

/* device.md 4.9: clipped to the scanout, at positions near and far from it. */
TEST(clip)
{
    const int64_t places[] = {
        INT64_C(-4294967296 - 2147483648), -3, -2, -1, 0, 1, 2, 3, 4, INT64_C(2147483647)};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            uint8_t under[4 * 3 * 4] = {0};
            uint8_t over[3 * 2 * 4];
            const struct vgpu_image screen = {4, 3, under};
            const struct vgpu_image cursor = {3, 2, over};

            memset(over, 0xFF, sizeof over);
            vgpu_cursor_compose(&screen, &cursor, places[i], places[j]);
            for (int64_t y = 0; y < 3; y++) {
                for (int64_t x = 0; x < 4; x++) {
                    const bool covered =
                        x >= places[i] && x < places[i] + 3 && y >= places[j] && y < places[j] + 2;

                    assert_int_equal(under[(y * 4 + x) * 4], covered ? 0xFF : 0);
                }
            }
        }
    }
}
