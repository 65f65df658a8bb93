/* alloc_table.c: the allocation table builder. */
#include "ring/alloc_table.h"

#include "pci/protocol/aerogpu_pci.h"

#define TABLE_BYTES_MAX (4u << 20)

static struct aerogpu_alloc_entry *table_entries(const struct agpu_alloc_table *table)
{
    return (struct aerogpu_alloc_entry *)(table->header + 1);
}

enum agpu_status agpu_alloc_table_begin(struct agpu_alloc_table *table, void *memory, size_t size)
{
    if (size < sizeof(struct aerogpu_alloc_table_header) || size > TABLE_BYTES_MAX) {
        return AGPU_ERR_INVALID;
    }
    *table = (struct agpu_alloc_table){
        .header = memory,
        .capacity = (uint32_t)((size - sizeof *table->header) / sizeof(struct aerogpu_alloc_entry)),
    };
    return AGPU_OK;
}

enum agpu_status agpu_alloc_table_add(struct agpu_alloc_table *table, uint32_t alloc_id,
                                      uint64_t device_address, uint64_t size, uint32_t flags)
{
    /* A range that ends exactly at 2^64 counts as wrapping (device.md 0). */
    if (alloc_id == 0 || size == 0 || device_address > UINT64_MAX - size) {
        return AGPU_ERR_INVALID;
    }
    if (table->count == table->capacity) {
        return AGPU_ERR_BUSY;
    }
    table_entries(table)[table->count++] = (struct aerogpu_alloc_entry){
        .alloc_id = alloc_id,
        .flags = flags,
        .gpa = device_address,
        .size_bytes = size,
    };
    return AGPU_OK;
}

uint32_t agpu_alloc_table_finish(struct agpu_alloc_table *table)
{
    uint32_t size = (uint32_t)(sizeof *table->header + table->count * sizeof(struct aerogpu_alloc_entry));

    *table->header = (struct aerogpu_alloc_table_header){
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = size,
        .entry_count = table->count,
        .entry_stride_bytes = sizeof(struct aerogpu_alloc_entry),
    };
    return size;
}
