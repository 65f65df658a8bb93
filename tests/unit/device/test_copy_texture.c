/* test_copy_texture.c: COPY_TEXTURE2D: rectangles, subresources, formats, writeback (commands.md 6.4, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/unit/device/packets_short.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM

/* Textures 1 (alloc 1, 8x8, pixel i = i) and 2 (alloc 2, 8x8, zero, pitch 40). */
static void make_pair(struct fake_driver *driver, uint32_t format)
{
    for (uint32_t i = 0; i < 64; i++) {
        memcpy(alloc_bytes(driver, 1) + i * 4, &i, 4);
    }
    memset(alloc_bytes(driver, 2), 0x77, 320); /* padding has a pattern that must survive */
    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    add_texture(driver, 1, format, 8, 8, 1);
    add_texture(driver, 2, format, 8, 8, 2)->row_pitch_bytes = 40;
    submit_good(driver);
}

/* commands.md 6.4: exactly the rectangle rows, at the guest layout. */
static void rectangle(void **state)
{
    struct fake_driver *driver = *state;

    make_pair(driver, RGBA);
    stream_begin(driver);
    struct aerogpu_cmd_copy_texture2d *copy = add_texture_copy(driver, 2, 1, 3, 2);
    copy->src_x = 2;
    copy->src_y = 4;
    copy->dst_x = 5;
    copy->dst_y = 6;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    for (uint32_t y = 0; y < 8; y++) {
        for (uint32_t x = 0; x < 10; x++) { /* two pixels of padding */
            const bool inside = x >= 5 && x < 8 && y >= 6;
            uint32_t pixel;

            memcpy(&pixel, alloc_bytes(driver, 2) + y * 40 + x * 4, 4);
            assert_int_equal(pixel, inside ? (y - 2) * 8 + x - 3 : 0x77777777);
        }
    }
}

/* commands.md 6.4 DEV: the X byte is written back as FF, also in whole rows longer than a part. */
static void x8_writeback(void **state)
{
    struct fake_driver *driver = *state;
    uint32_t pixel;

    make_pair(driver, AEROGPU_FORMAT_B8G8R8X8_UNORM);
    stream_begin(driver);
    add_texture_copy(driver, 2, 1, 8, 8)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    add_texture(driver, 5, AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, 2000, 2, 0);
    add_texture(driver, 6, AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, 2000, 2, 1);
    add_texture_copy(driver, 6, 5, 2000, 2)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    memcpy(&pixel, alloc_bytes(driver, 2) + 40 + 4, 4);
    assert_int_equal(pixel, 0xFF000009);
    memcpy(&pixel, alloc_bytes(driver, 1) + 15996, 4);
    assert_int_equal(pixel, 0xFF000000);
    memcpy(&pixel, alloc_bytes(driver, 1) + 16000, 4);
    assert_int_equal(pixel, 0);
}

/* commands.md 6.4: mips and layers address their own memory. */
static void subresources(void **state)
{
    struct fake_driver *driver = *state;

    make_pair(driver, RGBA);
    stream_begin(driver);
    struct aerogpu_cmd_create_texture2d *create = add_texture(driver, 3, RGBA, 8, 8, 2);
    create->mip_levels = 3;
    create->array_layers = 2;
    struct aerogpu_cmd_copy_texture2d *copy = add_texture_copy(driver, 3, 1, 2, 2);
    copy->dst_mip_level = 2;
    copy->dst_array_layer = 1;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    const uint32_t offset = 256 + 64 + 16 + 256 + 64; /* layer 0, then mips 0 and 1 of layer 1 */
    const uint32_t expected[] = {0, 1, 8, 9};
    assert_memory_equal(alloc_bytes(driver, 2) + offset, expected, 16);
}

/* commands.md 6.4: block formats move whole blocks; partial blocks only at the edge of both. */
static void blocks(void **state)
{
    struct fake_driver *driver = *state;

    const struct {
        uint32_t dst_x, dst_y, src_x, src_y, width, height;
        bool good;
    } copies[] = {
        {0, 0, 0, 0, 10, 10, true}, {4, 4, 4, 4, 4, 4, true},  {8, 8, 8, 8, 2, 2, true},
        {0, 4, 4, 4, 4, 4, true},   {0, 0, 0, 0, 9, 4, false}, {1, 0, 0, 0, 4, 4, false},
        {0, 2, 0, 0, 4, 4, false},  {0, 0, 2, 0, 4, 4, false}, {0, 0, 0, 0, 4, 6, false},
        {4, 0, 8, 0, 2, 4, false},  {8, 0, 4, 0, 2, 4, false}, {0, 0, 0, 0, 12, 4, false},
    };

    table_begin(driver);
    table_add(driver, 1);
    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_BC3_RGBA_UNORM, 10, 10, 0);
    add_texture(driver, 2, AEROGPU_FORMAT_BC3_RGBA_UNORM, 10, 10, 1)->row_pitch_bytes = 64;
    uint8_t block[16];
    memset(block, 0xAB, 16);
    add_upload(driver, 1, 4 * 16, block, 16); /* block (1, 1) */
    submit_good(driver);
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_copy_texture2d *copy =
            add_texture_copy(driver, 2, 1, copies[i].width, copies[i].height);
        copy->dst_x = copies[i].dst_x;
        copy->dst_y = copies[i].dst_y;
        copy->src_x = copies[i].src_x;
        copy->src_y = copies[i].src_y;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
        if (copies[i].good) {
            submit_good(driver);
        } else {
            submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
        }
    }
    assert_memory_equal(alloc_bytes(driver, 1) + 64, block, 16);
    assert_memory_equal(alloc_bytes(driver, 1) + 64 + 16, block, 16);
}

/* commands.md 6.4, 15: what COPY_TEXTURE2D refuses. */
static void bad_copies(void **state)
{
    struct fake_driver *driver = *state;

    make_pair(driver, RGBA);
    stream_begin(driver);
    add_texture(driver, 3, AEROGPU_FORMAT_B8G8R8A8_UNORM, 8, 8, 0);
    add_buffer(driver, 4, 256, 0);
    add_texture(driver, 5, RGBA, 8, 8, 0);
    submit_good(driver);
    for (unsigned i = 0; i < 17; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_copy_texture2d *copy = add_texture_copy(driver, 2, 1, 8, 8);
        copy->dst_texture = i == 0 ? 9 : i == 1 ? 4 : i == 2 ? 3 : i == 3 ? 5 : i == 4 ? 1 : 2;
        copy->src_texture = i == 5 ? 9 : i == 6 ? 4 : 1;
        copy->dst_mip_level = i == 7;
        copy->src_mip_level = i == 8;
        copy->dst_array_layer = i == 9;
        copy->src_array_layer = i == 10;
        copy->dst_x = i == 11;
        copy->dst_y = i == 12 ? 0xFFFFFFFF : 0;
        copy->src_x = i == 13 ? 0xFFFFFFF8 : 0;
        copy->src_y = i == 14;
        copy->height = i == 15 ? 0xFFFFFFFF : 8;
        copy->flags = i == 16 ? 4 : i == 3 ? 1 : 0; /* 3: writeback without guest memory */
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    ((struct aerogpu_alloc_entry *)(table_header(driver) + 1))[1].flags = AEROGPU_ALLOC_FLAG_READONLY;
    stream_begin(driver);
    add_texture_copy(driver, 2, 1, 8, 8)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* commands.md 15: an empty rectangle is a no-op before any other check. */
static void empty_rectangles(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    add_texture_copy(driver, 7, 7, 0, 8)->flags = ~0u;
    add_texture_copy(driver, 7, 7, 8, 0)->flags = ~0u;
    submit_good(driver);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rectangle), TEST(x8_writeback), TEST(subresources),
        TEST(blocks),    TEST(bad_copies),   TEST(empty_rectangles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
