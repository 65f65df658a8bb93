/* test_upload.c: RESOURCE_DIRTY_RANGE and UPLOAD_RESOURCE (commands.md 6.2, 6.3, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/unit/device/packets_short.h"

/* Buffer 1 and texture 2 in allocations 1 and 2, buffer 3 and texture 4 of the device's own; 64 bytes
 * each. */
static void make_resources(struct fake_driver *driver)
{
    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    add_buffer(driver, 1, 64, 1)->backing_offset_bytes = 16;
    add_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 2);
    add_buffer(driver, 3, 64, 0);
    add_texture(driver, 4, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    submit_good(driver);
}

/* commands.md 6.2: the range is read again, relative to the resource; no byte beside it. */
static void dirty_range(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[64];

    make_resources(driver);
    memset(alloc_bytes(driver, 1), 0x11, 128);
    stream_begin(driver);
    add_dirty(driver, 1, 5, 3); /* no alignment asked for */
    submit_good(driver);
    read_buffer(driver, 1, 0, bytes, 64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(bytes[i], i >= 5 && i < 8 ? 0x11 : 0);
    }
    memset(alloc_bytes(driver, 2), 0x22, 64);
    table_begin(driver);
    table_add(driver, 2);
    stream_begin(driver);
    add_dirty(driver, 2, 16, 48);
    submit_good(driver);
    read_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, bytes);
    assert_int_equal(bytes[15], 0);
    assert_int_equal(bytes[16], 0x22);
    assert_int_equal(bytes[63], 0x22);
}

/* commands.md 6.2: errors; size 0 and device-owned resources are ignored. */
static void dirty_rules(void **state)
{
    struct fake_driver *driver = *state;

    const struct {
        uint32_t handle;
        uint64_t offset, size;
        bool good;
    } cases[] = {
        {9, 0, 4, false},          {1, 61, 4, false},         {1, 64, 1, false}, {2, 0, 65, false},
        {1, UINT64_MAX, 2, false}, {1, 4, UINT64_MAX, false}, {9, 0, 0, true},   {1, 99, 0, true},
        {3, 0, 4, true},           {3, 99, 99, true},         {1, 0, 64, true},  {2, 0, 64, true},
    };

    make_resources(driver);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stream_begin(driver);
        add_dirty(driver, cases[i].handle, cases[i].offset, cases[i].size);
        if (cases[i].good) {
            submit_good(driver);
        } else {
            submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
        }
    }
    table_begin(driver); /* entry missing in this submission */
    table_add(driver, 2);
    stream_begin(driver);
    add_dirty(driver, 1, 0, 4);
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* commands.md 6.2: on a texture the range overwrites what the device changed and has not written back. */
static void dirty_overwrites_clear(void **state)
{
    struct fake_driver *driver = *state;
    uint32_t pixels[16];

    make_resources(driver);
    stream_begin(driver);
    add_targets(driver, 2, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
    add_dirty(driver, 2, 0, 4);
    submit_good(driver);
    read_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, pixels);
    assert_int_equal(pixels[0], 0);
    assert_int_equal(pixels[1], 0xFFFFFFFF);
}

/* commands.md 6.3: bytes go where they should; textures take any range. */
static void upload(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[64];

    make_resources(driver);
    stream_begin(driver);
    add_upload(driver, 3, 60, "wxyz", 4);
    add_upload(driver, 4, 3, "abcde", 5);
    submit_good(driver);
    read_buffer(driver, 3, 0, bytes, 64);
    assert_memory_equal(bytes + 60, "wxyz", 4);
    assert_int_equal(bytes[59], 0);
    read_texture(driver, 4, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, bytes);
    assert_memory_equal(bytes + 3, "abcde", 5);
    assert_int_equal(bytes[8], 0);
}

/* commands.md 6.3, 15: errors; size 0 is a no-op before any other check. */
static void upload_rules(void **state)
{
    struct fake_driver *driver = *state;

    const struct {
        uint32_t handle;
        uint64_t offset, size;
        bool good;
    } cases[] = {
        {9, 0, 4, false},
        {1, 0, 4, false},
        {2, 0, 4, false},
        {3, 2, 4, false},
        {3, 0, 6, false},
        {3, 61, 3, false},
        {3, 64, 4, false},
        {3, 60, 8, false},
        {4, 63, 2, false},
        {4, UINT64_MAX, 2, false},
        {3, UINT64_MAX - 3, 4, false},
        {3, 0, 12, false}, /* more than the packet holds */
        {3, 0, UINT64_MAX, false},
        {3, 0, UINT64_MAX - 31, false},
        {9, 99, 0, true},
        {4, 64, 0, true},
        {4, 63, 1, true},
        {3, 56, 8, true},
    };

    make_resources(driver);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_upload_resource *packet =
            add_upload(driver, cases[i].handle, cases[i].offset, "abcdefgh", 8);
        packet->size_bytes = cases[i].size;
        if (cases[i].good) {
            submit_good(driver);
        } else {
            submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
        }
    }
    stream_begin(driver); /* the padding of the payload belongs to the packet */
    add_upload(driver, 4, 0, "abcd", 4)->size_bytes = 5;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dirty_range), TEST(dirty_rules), TEST(dirty_overwrites_clear), TEST(upload), TEST(upload_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
