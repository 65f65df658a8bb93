/* test_clear.c: CLEAR on every format, encodings, targets (commands.md 11, 15; device.md 4.8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/fill.h"
#include "tests/device/engine/pixel.h"
#include "tests/unit/device/packets_short.h"

static uint32_t encode(uint32_t format, float r, float g, float b, float a)
{
    const uint32_t rgba[4] = {f32(r), f32(g), f32(b), f32(a)};

    return vgpu_pixel_from_color(format, rgba);
}

/* commands.md 11: UNORM rounding, clamping, NaN, X8 alpha, sRGB encoding, 16-bit levels. */
static void colors(void **state)
{
    const uint32_t nan_rgba[4] = {0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000};

    (void)state;
    assert_int_equal(encode(AEROGPU_FORMAT_R8G8B8A8_UNORM, 0.2f, 0.4f, 0.6f, 0.8f), 0xCC996633);
    assert_int_equal(encode(AEROGPU_FORMAT_B8G8R8A8_UNORM, 0.2f, 0.4f, 0.6f, 0.8f), 0xCC336699);
    assert_int_equal(encode(AEROGPU_FORMAT_R8G8B8X8_UNORM, 0.2f, 0.4f, 0.6f, 0), 0xFF996633);
    assert_int_equal(encode(AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, 0, 0, 1, 0), 0xFF0000FF);
    assert_int_equal(encode(AEROGPU_FORMAT_R8G8B8A8_UNORM, 0.5f, -1, 2, 0.5f), 0x80FF0080);
    assert_int_equal(vgpu_pixel_from_color(AEROGPU_FORMAT_R8G8B8A8_UNORM, nan_rgba), 0x00FF0000);
    assert_int_equal(encode(AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 0.5f, 0.001f, 1, 0.5f), 0x80FF03BC);
    assert_int_equal(encode(AEROGPU_FORMAT_B5G6R5_UNORM, 1, 0.5f, 0, 0), 0xF800 | 32 << 5);
    assert_int_equal(encode(AEROGPU_FORMAT_B5G5R5A1_UNORM, 0, 0, 1, 0.5f), 0x8000 | 31);
    assert_int_equal(encode(AEROGPU_FORMAT_B5G5R5A1_UNORM, 1, 0, 0, 0.49f), 0x7C00);
    assert_int_equal(vgpu_pixel_from_depth(AEROGPU_FORMAT_D24_UNORM_S8_UINT, f32(0.5f)), 0x800000);
    assert_int_equal(vgpu_pixel_from_depth(AEROGPU_FORMAT_D24_UNORM_S8_UINT, f32(7)), 0xFFFFFF);
    assert_int_equal(vgpu_pixel_from_depth(AEROGPU_FORMAT_D32_FLOAT, f32(0.25f)), f32(0.25f));
    assert_int_equal(vgpu_pixel_from_depth(AEROGPU_FORMAT_D32_FLOAT, f32(-3)), 0);
    assert_int_equal(vgpu_pixel_from_depth(AEROGPU_FORMAT_D32_FLOAT, 0x7FC00000), 0);
}

/* device.md 4.8: widening and narrowing of 16-bit pixels, byte orders, opaque X8. */
static void conversions(void **state)
{
    uint8_t rgba[4];
    uint8_t pixel[4] = {0};

    (void)state;
    vgpu_pixel_unpack(AEROGPU_FORMAT_B5G6R5_UNORM, (const uint8_t[]){0x01, 0x88}, rgba);
    assert_memory_equal(rgba, ((uint8_t[]){0x8C, 0x00, 0x08, 0xFF}), 4);
    vgpu_pixel_unpack(AEROGPU_FORMAT_B5G5R5A1_UNORM, (const uint8_t[]){0x1F, 0x80}, rgba);
    assert_memory_equal(rgba, ((uint8_t[]){0, 0, 0xFF, 0xFF}), 4);
    vgpu_pixel_unpack(AEROGPU_FORMAT_B8G8R8X8_UNORM, (const uint8_t[]){1, 2, 3, 4}, rgba);
    assert_memory_equal(rgba, ((uint8_t[]){3, 2, 1, 0xFF}), 4);
    vgpu_pixel_unpack(AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, (const uint8_t[]){1, 2, 3, 4}, rgba);
    assert_memory_equal(rgba, ((uint8_t[]){1, 2, 3, 4}), 4);
    vgpu_pixel_pack(AEROGPU_FORMAT_B5G6R5_UNORM, (const uint8_t[]){0xFF, 0x07, 0x0F, 0}, pixel);
    assert_memory_equal(pixel, ((uint8_t[]){0x21, 0xF8}), 2);
    vgpu_pixel_pack(AEROGPU_FORMAT_B5G5R5A1_UNORM, (const uint8_t[]){8, 0xFF, 0, 0x80}, pixel);
    assert_memory_equal(pixel, ((uint8_t[]){0xE0, 0x87}), 2);
    vgpu_pixel_pack(AEROGPU_FORMAT_B8G8R8A8_UNORM, (const uint8_t[]){1, 2, 3, 4}, pixel);
    assert_memory_equal(pixel, ((uint8_t[]){3, 2, 1, 4}), 4);
    vgpu_pixel_pack(AEROGPU_FORMAT_R8G8B8X8_UNORM, (const uint8_t[]){1, 2, 3, 4}, pixel);
    assert_memory_equal(pixel, ((uint8_t[]){1, 2, 3, 0xFF}), 4);
}

/* Fills of any length and alignment touch their bytes and no other. */
static void fills(void **state)
{
    static uint8_t bytes[9000];
    const uint64_t lengths[] = {0, 4, 8, 12, 4096, 4100, 8192, 8196};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (unsigned shift = 1; shift < 4; shift++) {
            const uint64_t length = lengths[i];

            memset(bytes, 0xEE, sizeof bytes);
            vgpu_fill32(bytes + shift, 0x04030201, length);
            for (uint64_t at = 0; at < sizeof bytes; at++) {
                const bool inside = at >= shift && at < shift + length;

                assert_int_equal(bytes[at], inside ? (at - shift) % 4 + 1 : 0xEE);
            }
        }
    }
    vgpu_fill32(bytes, 0x11111111, 8);
    vgpu_fill16(bytes + 8, 0x2322, 6);
    assert_memory_equal(bytes, "\x11\x11\x11\x11\x11\x11\x11\x11\x22\x23\x22\x23\x22\x23", 14);
    vgpu_fill32_masked(bytes, 0xAABBCCDD, 0x00FF0000, 8);
    assert_memory_equal(bytes, "\x11\x11\xBB\x11\x11\x11\xBB\x11\x22", 9);
}

/* commands.md 11: every bound colour target is cleared, whole, and no row padding. */
static void all_targets(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t formats[] = {AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM,
                                AEROGPU_FORMAT_B5G6R5_UNORM};
    uint32_t pixels[16];
    uint16_t halves[16];

    stream_begin(driver);
    for (uint32_t i = 0; i < 3; i++) {
        add_texture(driver, i + 1, formats[i], 4, 4, 0)->row_pitch_bytes = 24;
    }
    struct aerogpu_cmd_set_render_targets *targets = add_targets(driver, 1, 0);
    targets->color_count = 8;
    targets->colors[3] = 2; /* gaps are allowed */
    targets->colors[7] = 3;
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 0, 0.2f, 0);
    submit_good(driver);
    read_texture(driver, 1, formats[0], 4, 4, pixels);
    assert_int_equal(pixels[15], 0x003300FF);
    read_texture(driver, 2, formats[1], 4, 4, pixels);
    assert_int_equal(pixels[15], 0xFFFF0033);
    read_texture(driver, 3, formats[2], 4, 4, halves);
    assert_int_equal(halves[15], 0xF806);
}

/* commands.md 11: depth and stencil apart, together, and stencil ignored on D32. */
static void depth_stencil(void **state)
{
    struct fake_driver *driver = *state;
    uint32_t pixels[16];

    const struct {
        uint32_t flags, expected;
    } steps[] = {
        {AEROGPU_CLEAR_DEPTH, 0x00800000},
        {AEROGPU_CLEAR_STENCIL, 0xAB800000},
        {AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL | AEROGPU_CLEAR_COLOR, 0xAB800000},
    };

    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4, 4, 0);
    add_texture(driver, 2, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 0);
    submit_good(driver);
    for (unsigned i = 0; i < 3; i++) {
        stream_begin(driver);
        add_targets(driver, 0, 1);
        struct aerogpu_cmd_clear *clear = add_clear(driver, steps[i].flags, 0, 0, 0, 0);
        clear->depth_f32 = f32(0.5f);
        clear->stencil = 0xFFAB; /* low 8 bits count */
        submit_good(driver);
        read_texture(driver, 1, AEROGPU_FORMAT_D24_UNORM_S8_UINT, 4, 4, pixels);
        assert_int_equal(pixels[7], steps[i].expected);
    }
    stream_begin(driver);
    add_targets(driver, 0, 2);
    add_clear(driver, AEROGPU_CLEAR_STENCIL, 0, 0, 0, 0)->stencil = 0xFF;
    submit_good(driver);
    read_texture(driver, 2, AEROGPU_FORMAT_D32_FLOAT, 4, 4, pixels);
    assert_int_equal(pixels[0], 0);
    stream_begin(driver);
    add_clear(driver, AEROGPU_CLEAR_DEPTH, 0, 0, 0, 0)->depth_f32 = f32(0.75f);
    submit_good(driver);
    read_texture(driver, 2, AEROGPU_FORMAT_D32_FLOAT, 4, 4, pixels);
    assert_int_equal(pixels[0], f32(0.75f));
}

/* commands.md 11, 15: no-ops and errors. */
static void rules(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    add_clear(driver, 7, 1, 1, 1, 1); /* nothing bound */
    add_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_texture(driver, 2, AEROGPU_FORMAT_D32_FLOAT, 4, 4, 0);
    add_texture(driver, 3, AEROGPU_FORMAT_BC1_RGBA_UNORM, 4, 4, 0);
    add_buffer(driver, 4, 64, 0);
    add_targets(driver, 99, 0);
    add_clear(driver, 0, 1, 1, 1, 1); /* no flags: before any other check */
    submit_good(driver);
    const uint32_t bad[][2] = {{99, 0}, {2, 0}, {3, 0}, {4, 0}, {0, 1}, {0, 99}, {0, 4}, {1, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stream_begin(driver);
        add_targets(driver, bad[i][0], bad[i][1]);
        add_clear(driver, 7, 1, 1, 1, 1);
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors), cmocka_unit_test(conversions), cmocka_unit_test(fills),
        TEST(all_targets),        TEST(depth_stencil),           TEST(rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
