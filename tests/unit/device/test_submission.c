/* test_submission.c: every fault of a descriptor, of its stream header and of its allocation table (ring.md
 * 3, 6, 8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/alloc_table.h"
#include "tests/device/engine/stream.h"
#include "tests/unit/device/fake_driver.h"

#define HIGH_GPA (UINT64_MAX - 15)

/* Makes one corruption of an otherwise good submission. */
typedef void corrupt(struct fake_driver *driver);

/* A stream that would create buffer 77 and a table with ids 1 and 2; the corruption; then: one error with
 * this code, the fence completes, nothing was executed, the next submission is good (ring.md 3.1). */
static void expect(struct fake_driver *driver, corrupt *what, uint32_t code)
{
    const uint32_t errors = error_count(driver);

    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    struct aerogpu_cmd_create_buffer *create =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
    create->buffer_handle = 77;
    create->size_bytes = 64;
    prepare(driver);
    what(driver);
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(driver->ring->head, driver->ring->tail);
    assert_int_equal(completed_fence(driver), driver->fence);
    assert_int_equal(error_count(driver), errors + 1);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), code);
    assert_int_equal(reg_read64(driver->machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO), driver->fence);
    table_header(driver)->magic = 0;
    stream_begin(driver);
    create = STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
    create->buffer_handle = 77;
    create->size_bytes = 128; /* another size: an error if 77 existed */
    STREAM_PACKET(driver, DESTROY_RESOURCE, aerogpu_cmd_destroy_resource)->resource_handle = 77;
    submit_good(driver);
}

#define CORRUPTION(name, statement)                                                                          \
    static void name(struct fake_driver *driver)                                                             \
    {                                                                                                        \
        struct aerogpu_submit_desc *desc = &driver->desc;                                                    \
        struct aerogpu_cmd_stream_header *stream = stream_header(driver);                                    \
        struct aerogpu_alloc_table_header *table = table_header(driver);                                     \
        struct aerogpu_alloc_entry *entry = (struct aerogpu_alloc_entry *)(table + 1);                       \
        (void)desc, (void)stream, (void)table, (void)entry;                                                  \
        statement;                                                                                           \
    }

CORRUPTION(desc_short, desc->desc_size_bytes = 63)
CORRUPTION(desc_over_stride, desc->desc_size_bytes = RING_STRIDE + 1)
CORRUPTION(cmd_gpa_zero, desc->cmd_gpa = 0)
CORRUPTION(cmd_size_zero, desc->cmd_size_bytes = 0)
CORRUPTION(cmd_wraps, desc->cmd_gpa = UINT64_MAX - desc->cmd_size_bytes + 1)
CORRUPTION(cmd_short, desc->cmd_size_bytes = 23)
CORRUPTION(cmd_unmapped, desc->cmd_gpa = 0x10)
CORRUPTION(stream_magic, stream->magic ^= 0x100)
CORRUPTION(stream_major, stream->abi_version = 0x00020000)
CORRUPTION(stream_below_header, stream->size_bytes = 20)
CORRUPTION(stream_unaligned, stream->size_bytes -= 2)
CORRUPTION(stream_over_capacity, desc->cmd_size_bytes -= 4)
CORRUPTION(stream_over_limit, (stream->size_bytes = VGPU_STREAM_MAX_BYTES + 4, desc->cmd_size_bytes = ~0u))
CORRUPTION(table_gpa_zero, desc->alloc_table_gpa = 0)
CORRUPTION(table_size_zero, desc->alloc_table_size_bytes = 0)
CORRUPTION(table_wraps, desc->alloc_table_gpa = HIGH_GPA)
CORRUPTION(table_desc_short, desc->alloc_table_size_bytes = 23)
CORRUPTION(table_magic, table->magic = 0)
CORRUPTION(table_major, table->abi_version = 0x00000001)
CORRUPTION(table_below_header, table->size_bytes = 23)
CORRUPTION(table_over_desc, desc->alloc_table_size_bytes -= 1)
CORRUPTION(table_stride, table->entry_stride_bytes = 31)
CORRUPTION(table_over_limit,
           (table->size_bytes = VGPU_ALLOC_TABLE_MAX_BYTES + 4, desc->alloc_table_size_bytes = ~0u))
CORRUPTION(table_count, table->entry_count = 3)
CORRUPTION(table_count_huge, table->entry_count = ~0u)
CORRUPTION(entry_id_zero, entry[1].alloc_id = 0)
CORRUPTION(entry_size_zero, entry[0].size_bytes = 0)
CORRUPTION(entry_wraps, (entry[0].gpa = HIGH_GPA, entry[0].size_bytes = 16))
CORRUPTION(entry_duplicate, entry[1].alloc_id = entry[0].alloc_id)
CORRUPTION(entry_same_twice, entry[1] = entry[0])
CORRUPTION(oob_after_decode, (desc->cmd_gpa = 0, entry[1].gpa = HIGH_GPA))
CORRUPTION(decode_then_oob_entry, (entry[0].alloc_id = 0, entry[1].gpa = HIGH_GPA))
CORRUPTION(empty_with_bad_table, (desc->cmd_gpa = 0, desc->cmd_size_bytes = 0, table->magic = 1))

/* 3.1, every row before execution. */
static void faults(void **state)
{
    struct fake_driver *driver = *state;
    corrupt *const decode[] = {
        desc_short,        desc_over_stride,   cmd_gpa_zero,    cmd_size_zero,       cmd_short,
        cmd_unmapped,      stream_magic,       stream_major,    stream_below_header, stream_unaligned,
        stream_over_limit, table_gpa_zero,     table_size_zero, table_desc_short,    table_magic,
        table_major,       table_below_header, table_over_desc, table_stride,        table_over_limit,
        entry_id_zero,     entry_size_zero,    entry_duplicate, entry_same_twice,    empty_with_bad_table,
    };
    corrupt *const oob[] = {
        cmd_wraps,   stream_over_capacity, table_wraps,           table_count,
        entry_wraps, oob_after_decode,     decode_then_oob_entry, table_count_huge,
    };

    for (size_t i = 0; i < sizeof decode / sizeof decode[0]; i++) {
        expect(driver, decode[i], AEROGPU_ERROR_CMD_DECODE);
    }
    for (size_t i = 0; i < sizeof oob / sizeof oob[0]; i++) {
        expect(driver, oob[i], AEROGPU_ERROR_OOB);
    }
}

/* ring.md 3, 8: what is not checked: unknown flags, engine, context, reserved fields, bytes behind the
 * sizes. */
static void unchecked_fields(void **state)
{
    struct fake_driver *driver = *state;

    table_begin(driver);
    table_add(driver, 0x80000001u)->flags = 0xFFFFFFFE;
    table_header(driver)->reserved0 = 1;
    table_header(driver)->abi_version = 0x00010009;
    stream_begin(driver);
    stream_header(driver)->flags = ~0u;
    stream_header(driver)->abi_version = 0x00010000;
    prepare(driver);
    driver->desc.flags = 0xFFFFFFFC;
    driver->desc.context_id = 99;
    driver->desc.engine_id = 42;
    driver->desc.reserved0 = 1;
    driver->desc.cmd_size_bytes += 1000;
    driver->desc.alloc_table_size_bytes += 100;
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(error_count(driver), 0);
    assert_int_equal(completed_fence(driver), 1);
}

/* ring.md 6: empty submissions signal their fence; a table is allowed. */
static void empty(void **state)
{
    struct fake_driver *driver = *state;

    submit_good(driver);
    table_begin(driver); /* no entries */
    submit_good(driver);
    table_add(driver, 5);
    submit_good(driver);
}

/* ring.md 4: a stale or zero fence signals nothing, the commands are executed all the same. */
static void stale_fence_executes(void **state)
{
    struct fake_driver *driver = *state;
    const uint64_t fences[] = {10, 10, 4, 0};

    for (uint32_t i = 0; i < 4; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_create_buffer *create =
            STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
        create->buffer_handle = i + 1;
        create->size_bytes = 4;
        prepare(driver);
        driver->desc.signal_fence = fences[i];
        post(driver);
        ring_doorbell(driver);
        assert_int_equal(completed_fence(driver), 10);
        assert_int_equal(driver->fence_page->completed_fence, 10);
    }
    stream_begin(driver);
    for (uint32_t i = 0; i < 4; i++) {
        struct aerogpu_cmd_upload_resource *upload =
            stream_packet(driver, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *upload + 4);
        upload->resource_handle = i + 1;
        upload->size_bytes = 4;
    }
    driver->fence = 10;
    submit_good(driver);
}

/* ring.md 8: long tables are found by id, in any order, with any stride; a duplicate far apart is found
 * too. */
static void long_table(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t count = 300;
    const uint32_t stride = 36;

    for (unsigned pass = 0; pass < 2; pass++) {
        table_begin(driver);
        table_header(driver)->entry_count = count;
        table_header(driver)->entry_stride_bytes = stride;
        table_header(driver)->size_bytes = 24 + count * stride;
        for (uint32_t i = 0; i < count; i++) {
            const struct aerogpu_alloc_entry entry = {
                .alloc_id = pass == 1 && i == 299 ? 7 : (count - i) * 7,
                .gpa = ALLOC_GPA + i * 16,
                .size_bytes = 16,
            };

            memcpy((uint8_t *)table_header(driver) + 24 + i * stride, &entry, sizeof entry);
            alloc_bytes(driver, 1)[i * 16] = (uint8_t)i;
        }
        stream_begin(driver);
        struct aerogpu_cmd_create_buffer *create =
            STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
        create->buffer_handle = pass + 1;
        create->size_bytes = 16;
        create->backing_alloc_id = (count - 250) * 7;
        if (pass == 0) {
            submit_good(driver);
        } else {
            table_header(driver)->entry_count--; /* without the duplicate */
            submit_good(driver);
            table_header(driver)->entry_count++;
            *(uint32_t *)(void *)((uint8_t *)table_header(driver) + 24 + 299 * stride) = 14;
            submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
        }
    }
}

/* ring.md 8: an id that the table lacks, or an allocation too small, is a validation error. */
static void table_lacks_id(void **state)
{
    struct fake_driver *driver = *state;

    for (uint32_t i = 0; i < 3; i++) {
        table_begin(driver);
        table_add(driver, 1)->size_bytes = 64;
        stream_begin(driver);
        struct aerogpu_cmd_create_buffer *create =
            STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
        create->buffer_handle = 1;
        create->size_bytes = 64;
        create->backing_alloc_id = i == 0 ? 2 : 1;
        create->backing_offset_bytes = i == 1 ? 4 : i == 2 ? 0xFFFFFFFC : 0;
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
}

/* A table and a stream in memory of several pieces and with a hole that reads FF. */
static void fragmented_memory(void **state)
{
    struct fake_driver *driver = *state;

    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    stream_begin(driver);
    STREAM_PACKET(driver, NOP, aerogpu_cmd_hdr);
    prepare(driver);
    driver->machine->split = true;
    const uint64_t middle = RAM_BASE + RAM_SIZE / 2;
    memcpy(ram(driver->machine, middle - 30), ram(driver->machine, TABLE_GPA), 88);
    driver->desc.alloc_table_gpa = middle - 30;
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(error_count(driver), 0);
    driver->machine->hole_gpa = TABLE_GPA + 24 + 32;
    driver->machine->hole_size = 0x1000;
    submit(driver); /* second entry reads FF: gpa + size wraps */
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_OOB);
    assert_int_equal(completed_fence(driver), driver->fence);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(faults),
        TEST(unchecked_fields),
        TEST(empty),
        TEST(stale_fence_executes),
        TEST(long_table),
        TEST(table_lacks_id),
        TEST(fragmented_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
