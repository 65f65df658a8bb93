/* table.h: converts the driver's allocation list to the device's allocation table (vidmm.md 6.2): residency, one entry
 * for each alloc_id, READONLY for entries without a writer. */
#ifndef AGPU_MM_VIDMM_TABLE_H
#define AGPU_MM_VIDMM_TABLE_H

#include "mm/vidmm/records.h"
#include "umd-port/ddi/d3dddicb.h"

/* Maximum of unique ids in one table. */
#define AGPU_TABLE_ENTRIES_MAX 0xFFFFu

/* Returns the most bytes that a table for a list of this many entries needs. */
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
};

/* Makes every allocation of the list resident and writes the table with the current addresses. Nothing is marked busy
 * until agpu_table_commit, when the submission has its fence. STATUS_INVALID_PARAMETER: unknown handle, two instances
 * of one alloc_id, too many entries; STATUS_INSUFFICIENT_RESOURCES: larger than the segment. */
NTSTATUS agpu_table_build(struct agpu_vidmm *vm, struct agpu_table_build *build);

/* Returns the number of READONLY entries of a built table. */
uint32_t agpu_table_count_readonly(const struct agpu_table_build *build);

/* Marks the allocations of the list as in use until this fence, which the submission of the table has. */
void agpu_table_commit(struct agpu_vidmm *vm, const struct agpu_table_build *build, uint64_t fence);

#endif
