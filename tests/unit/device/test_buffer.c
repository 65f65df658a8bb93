/* test_buffer.c: CREATE_BUFFER, COPY_BUFFER and DESTROY_RESOURCE of buffers (commands.md 6.1, 6.4, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/unit/device/packets_short.h"

/* Source 1 in allocation 1 holds 0, 1, 2...; destination 2 in allocation 2; 3 and 4 are the device's own. */
static void make_buffers(struct fake_driver *driver)
{
    for (unsigned i = 0; i < 256; i++) {
        alloc_bytes(driver, 1)[i] = (uint8_t)i;
    }
    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    add_buffer(driver, 1, 256, 1);
    add_buffer(driver, 2, 256, 2);
    add_buffer(driver, 3, 256, 0);
    add_buffer(driver, 4, 16, 0);
    submit_good(driver);
}

static struct aerogpu_cmd_copy_buffer *begin_copy(struct fake_driver *driver, uint32_t dst, uint32_t src)
{
    stream_begin(driver);
    return add_copy(driver, dst, src, 16);
}

/* commands.md 6.1 DEV: guest-backed contents are loaded at creation, device-owned ones zero. */
static void initial_contents(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[16];

    make_buffers(driver);
    read_buffer(driver, 1, 16, bytes, 16);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(bytes[i], 16 + i);
    }
    read_buffer(driver, 3, 0, bytes, 16);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

/* commands.md 6.4: WRITEBACK_DST: exactly the range, at its place, in guest memory before the fence. */
static void copy_writes_back(void **state)
{
    struct fake_driver *driver = *state;

    make_buffers(driver);
    struct aerogpu_cmd_copy_buffer *copy = begin_copy(driver, 2, 1);
    copy->src_offset_bytes = 8;
    copy->dst_offset_bytes = 32;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(alloc_bytes(driver, 2)[i], i >= 32 && i < 48 ? i - 32 + 8 : 0);
    }
}

/* commands.md 6.4 DEV: without WRITEBACK_DST guest memory is left alone, also when READONLY. */
static void copy_without_writeback(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[16];

    make_buffers(driver);
    ((struct aerogpu_alloc_entry *)(table_header(driver) + 1))[1].flags = AEROGPU_ALLOC_FLAG_READONLY;
    begin_copy(driver, 2, 1);
    submit_good(driver);
    assert_int_equal(alloc_bytes(driver, 2)[1], 0);
    read_buffer(driver, 2, 0, bytes, 16);
    assert_int_equal(bytes[1], 1);
}

/* ring.md 8: a writeback to READONLY memory is refused before anything changes. */
static void readonly_destination(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[16];

    make_buffers(driver);
    ((struct aerogpu_alloc_entry *)(table_header(driver) + 1))[1].flags = AEROGPU_ALLOC_FLAG_READONLY;
    begin_copy(driver, 2, 1)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(alloc_bytes(driver, 2)[1], 0);
    read_buffer(driver, 2, 0, bytes, 16);
    assert_int_equal(bytes[1], 0);
}

/* commands.md 6.1: what CREATE_BUFFER refuses. */
static void bad_create(void **state)
{
    struct fake_driver *driver = *state;

    const struct {
        uint32_t handle;
        uint64_t size;
        uint32_t alloc_id;
        uint32_t offset;
    } bad[] = {
        {0, 64, 0, 0},  {9, 0, 0, 0},           {9, 62, 0, 0},
        {9, 64, 7, 0},  {9, ALLOC_BYTES, 1, 4}, {9, 4, 1, ALLOC_BYTES},
        {1, 128, 0, 0}, {1, 128, 1, 0},         {1, UINT64_MAX - 3, 1, 8},
    };

    make_buffers(driver);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        stream_begin(driver);
        add_buffer(driver, bad[i].handle, bad[i].size, bad[i].alloc_id)->backing_offset_bytes = bad[i].offset;
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    stream_begin(driver); /* another usage is another buffer */
    add_buffer(driver, 1, 256, 1)->usage_flags = AEROGPU_RESOURCE_USAGE_STORAGE;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* commands.md 6.1: a live handle with the same properties only gets another backing; contents stay until a
 * dirty range. */
static void rebind(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[16];

    make_buffers(driver);
    alloc_bytes(driver, 2)[64] = 99;
    stream_begin(driver);
    add_buffer(driver, 1, 256, 2)->backing_offset_bytes = 64;
    submit_good(driver);
    read_buffer(driver, 1, 0, bytes, 16);
    assert_int_equal(bytes[0], 0);
    table_begin(driver);
    table_add(driver, 2);
    stream_begin(driver);
    add_dirty(driver, 1, 0, 16);
    submit_good(driver);
    read_buffer(driver, 1, 0, bytes, 16);
    assert_int_equal(bytes[0], 99);
}

/* commands.md 6.4, 15: what COPY_BUFFER refuses, each alone in its submission. */
static void bad_copy(void **state)
{
    struct fake_driver *driver = *state;

    const struct {
        uint32_t dst, src;
        uint64_t dst_offset, src_offset, size;
        uint32_t flags;
    } bad[] = {
        {9, 1, 0, 0, 16, 0},
        {2, 9, 0, 0, 16, 0},
        {0, 1, 0, 0, 16, 0},
        {1, 1, 0, 128, 16, 0}, /* equal handles */
        {2, 1, 2, 0, 16, 0},
        {2, 1, 0, 2, 16, 0},
        {2, 1, 0, 0, 14, 0},
        {2, 1, 244, 0, 16, 0},
        {2, 1, 0, 244, 16, 0},
        {2, 1, 0, 0, 260, 0},
        {2, 1, UINT64_MAX - 3, 0, 16, 0},
        {2, 1, 0, UINT64_MAX - 15, 16, 0},
        {2, 1, 0, 0, UINT64_MAX - 3, 0},
        {2, 1, 0, 0, 16, 2},
        {2, 1, 0, 0, 16, 0x80000001u},
        {3, 1, 0, 0, 16, 1}, /* no guest memory */
        {2, 5, 0, 0, 16, 0},
        {5, 1, 0, 0, 16, 0}, /* a texture */
    };

    make_buffers(driver);
    stream_begin(driver);
    add_texture(driver, 5, AEROGPU_FORMAT_R8G8B8A8_UNORM, 8, 8, 0);
    submit_good(driver);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct aerogpu_cmd_copy_buffer *copy = begin_copy(driver, bad[i].dst, bad[i].src);

        copy->dst_offset_bytes = bad[i].dst_offset;
        copy->src_offset_bytes = bad[i].src_offset;
        copy->size_bytes = bad[i].size;
        copy->flags = bad[i].flags;
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    table_begin(driver); /* the entry is not in this submission's table */
    table_add(driver, 1);
    begin_copy(driver, 2, 1)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* commands.md 15: size 0 is a no-op before any other check. */
static void empty_copy(void **state)
{
    struct fake_driver *driver = *state;

    stream_begin(driver);
    struct aerogpu_cmd_copy_buffer *copy = add_copy(driver, 77, 77, 0);
    copy->flags = ~0u;
    copy->dst_offset_bytes = 3;
    submit_good(driver);
}

/* ring.md 8: the table of the running submission decides where an id lies. */
static void address_changes(void **state)
{
    struct fake_driver *driver = *state;

    make_buffers(driver);
    table_begin(driver);
    table_add(driver, 2)->gpa = ALLOC_GPA + 5 * ALLOC_BYTES; /* memory of id 6 */
    begin_copy(driver, 2, 1)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    assert_int_equal(alloc_bytes(driver, 2)[5], 0);
    assert_int_equal(alloc_bytes(driver, 6)[5], 5);
}

/* Guest memory in pieces, and partly absent: reads are FF, writes are dropped. */
static void fragmented_backing(void **state)
{
    struct fake_driver *driver = *state;
    uint8_t bytes[16];

    make_buffers(driver);
    driver->machine->hole_gpa = ALLOC_GPA + 4;
    driver->machine->hole_size = 4;
    stream_begin(driver);
    add_dirty(driver, 1, 0, 256);
    submit_good(driver);
    read_buffer(driver, 1, 0, bytes, 16);
    assert_int_equal(bytes[3], 3);
    assert_int_equal(bytes[4], 0xFF);
    table_begin(driver);
    table_add(driver, 1);
    stream_begin(driver);
    add_copy(driver, 1, 3, 12)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    driver->machine->hole_size = 0;
    assert_int_equal(alloc_bytes(driver, 1)[3], 0);
    assert_int_equal(alloc_bytes(driver, 1)[4], 4);
}

/* commands.md 6.1, 15: destroying an unknown or destroyed handle is a no-op; the number is free again. */
static void destroy(void **state)
{
    struct fake_driver *driver = *state;

    make_buffers(driver);
    stream_begin(driver);
    add_destroy(driver, 1);
    add_destroy(driver, 1);
    add_destroy(driver, 12345);
    add_destroy(driver, 0);
    add_buffer(driver, 1, 128, 0);
    submit_good(driver);
    begin_copy(driver, 1, 3);
    submit_good(driver);
}

/* commands.md 6.4 DEV: destroying the destination later in the stream does not lose the writeback. */
static void destroy_after_writeback(void **state)
{
    struct fake_driver *driver = *state;

    make_buffers(driver);
    begin_copy(driver, 2, 1)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    add_destroy(driver, 2);
    submit_good(driver);
    assert_int_equal(alloc_bytes(driver, 2)[9], 9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(initial_contents),
        TEST(copy_writes_back),
        TEST(copy_without_writeback),
        TEST(readonly_destination),
        TEST(bad_create),
        TEST(rebind),
        TEST(bad_copy),
        TEST(empty_copy),
        TEST(address_changes),
        TEST(fragmented_backing),
        TEST(destroy),
        TEST(destroy_after_writeback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
