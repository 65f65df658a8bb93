/* test_buffer.c: CREATE_BUFFER, COPY_BUFFER and DESTROY_RESOURCE of buffers (commands.md 6.1, 6.4, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/aerogpu_pci.h"
#include "tests/unit/device/fake_driver.h"

static struct aerogpu_cmd_create_buffer *create(struct fake_driver *driver, uint32_t handle, uint64_t size,
                                                uint32_t alloc_id)
{
    struct aerogpu_cmd_create_buffer *packet =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);

    packet->buffer_handle = handle;
    packet->size_bytes = size;
    packet->backing_alloc_id = alloc_id;
    return packet;
}

static struct aerogpu_cmd_copy_buffer *copy(struct fake_driver *driver, uint32_t dst, uint32_t src,
                                            uint64_t size)
{
    struct aerogpu_cmd_copy_buffer *packet = STREAM_PACKET(driver, COPY_BUFFER, aerogpu_cmd_copy_buffer);

    packet->dst_buffer = dst;
    packet->src_buffer = src;
    packet->size_bytes = size;
    return packet;
}

/* Source 1 in allocation 1 holds 0, 1, 2...; destination 2 in allocation 2. */
static void make_pair(struct fake_driver *driver)
{
    for (unsigned i = 0; i < 256; i++) {
        alloc_bytes(driver, 1)[i] = (uint8_t)i;
    }
    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    create(driver, 1, 256, 1);
    create(driver, 2, 256, 2);
    submit_good(driver);
}

/* 6.1 DEV: guest-backed contents are loaded at creation; 6.4: WRITEBACK_DST reaches guest memory. */
static void copy_writes_back(void **state)
{
    struct fake_driver *driver = *state;

    make_pair(driver);
    stream_begin(driver);
    struct aerogpu_cmd_copy_buffer *packet = copy(driver, 2, 1, 16);
    packet->src_offset_bytes = 8;
    packet->dst_offset_bytes = 32;
    packet->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    submit_good(driver);
    for (unsigned i = 0; i < 256; i++) {
        const unsigned expected = i >= 32 && i < 48 ? i - 32 + 8 : 0;

        assert_int_equal(alloc_bytes(driver, 2)[i], expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copy_writes_back, driver_setup, driver_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
