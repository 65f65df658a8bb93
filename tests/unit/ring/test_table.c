/* test_table.c: allocation tables as the driver builds them (ring.md 8). */
#include <string.h>

#include "ring/alloc_table.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/unit/test.h"

TEST(table_is_built)
{
    _Alignas(8) uint8_t memory[24 + 2 * 32];
    struct agpu_alloc_table table;
    const struct aerogpu_alloc_table_header *header = (const void *)memory;
    const struct aerogpu_alloc_entry *entries = (const void *)(memory + 24);

    assert_int_equal(agpu_alloc_table_begin(&table, memory, 23), AGPU_ERR_INVALID);
    assert_int_equal(agpu_alloc_table_begin(&table, memory, sizeof memory), AGPU_OK);
    assert_int_equal(agpu_alloc_table_add(&table, 0, 4096, 4096, 0), AGPU_ERR_INVALID);
    assert_int_equal(agpu_alloc_table_add(&table, 1, 4096, 0, 0), AGPU_ERR_INVALID);
    assert_int_equal(agpu_alloc_table_add(&table, 1, UINT64_MAX - 4095, 4096, 0), AGPU_ERR_INVALID);
    assert_int_equal(agpu_alloc_table_add(&table, 5, 0, 4096, 0), AGPU_OK);
    assert_int_equal(agpu_alloc_table_add(&table, 0x80000001, 8192, 100, AEROGPU_ALLOC_FLAG_READONLY),
                     AGPU_OK);
    assert_int_equal(agpu_alloc_table_add(&table, 6, 4096, 4096, 0), AGPU_ERR_BUSY);
    assert_int_equal(agpu_alloc_table_finish(&table), sizeof memory);
    assert_int_equal(header->magic, AEROGPU_ALLOC_TABLE_MAGIC);
    assert_int_equal(header->size_bytes, sizeof memory);
    assert_int_equal(header->entry_count, 2);
    assert_int_equal(header->entry_stride_bytes, 32);
    assert_int_equal(entries[1].alloc_id, 0x80000001);
    assert_int_equal(entries[1].flags, AEROGPU_ALLOC_FLAG_READONLY);
    assert_int_equal(entries[1].gpa, 8192);
    assert_int_equal(entries[1].size_bytes, 100);
}
