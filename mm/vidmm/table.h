/* table.h: from the driver's allocation list to the device's allocation table (vidmm.md 6.2): residency, one
 * entry for each alloc_id, READONLY where nobody writes. */
#ifndef AGPU_MM_VIDMM_TABLE_H
#define AGPU_MM_VIDMM_TABLE_H

#include "mm/vidmm/records.h"
#include "umd-port/ddi/d3dddicb.h"

/* Unique ids that one table may have. */
#define AGPU_TABLE_ENTRIES_MAX 0xFFFFu

/* Bytes that a table for a list of this many entries needs at most. */
uint32_t agpu_table_bytes(uint32_t list_count);

struct agpu_table_build {
    uint16_t process;
    const D3DDDI_ALLOCATIONLIST *list;
    uint32_t count;
    void *memory; /* room for agpu_table_bytes(count) or AGPU_TABLE_ENTRIES_MAX entries, 8-byte aligned */
    uint32_t memory_size;
    /* out */
    uint32_t table_size; /* bytes; 0 = no entry, no table */
    uint32_t entries;
    uint64_t wait_fence; /* STATUS_PENDING: memory comes free with this fence */
};

/* Makes every allocation of the list resident and writes the table with the addresses of this moment. Nothing
 * is busy yet: agpu_table_commit sees to that, once the submission has its fence. STATUS_INVALID_PARAMETER:
 * unknown handle, two instances of one alloc_id, too many entries; STATUS_INSUFFICIENT_RESOURCES: larger than
 * the segment. */
NTSTATUS agpu_table_build(struct agpu_vidmm *vm, struct agpu_table_build *build);

/* READONLY entries of a table that was built. */
uint32_t agpu_table_count_readonly(const struct agpu_table_build *build);

/* The submission that this list was built for has that fence: its allocations are in use until then. */
void agpu_table_commit(struct agpu_vidmm *vm, const struct agpu_table_build *build, uint64_t fence);

#endif
