/* alloc_table.h: builds the allocation table of one submission in the caller's memory (ring.md 8). */
#ifndef AGPU_RING_ALLOC_TABLE_H
#define AGPU_RING_ALLOC_TABLE_H

#include "pci/machine/platform.h"
#include "ring/protocol/aerogpu_ring.h"

/* A table under construction. The caller owns memory (8-byte aligned); the device may read it until the fence
 * completes. */
struct agpu_alloc_table {
    struct aerogpu_alloc_table_header *header;
    uint32_t capacity; /* entries that fit */
    uint32_t count;
};

/* Starts an empty table in size bytes of memory. AGPU_ERR_INVALID when size is too small for the header or above 4 MiB,
 * the size that every device accepts (ring.md 3.1). */
enum agpu_status agpu_alloc_table_begin(struct agpu_alloc_table *table, void *memory, size_t size);

/* Adds one entry. The caller removes duplicates: it knows its allocations, and a search here would make a table of n
 * entries cost n^2. AGPU_ERR_INVALID for id 0, size 0 or a range that wraps; AGPU_ERR_BUSY when the table is full. */
enum agpu_status agpu_alloc_table_add(struct agpu_alloc_table *table, uint32_t alloc_id,
                                      uint64_t device_address, uint64_t size, uint32_t flags);

/* Completes the header and returns the table's size in bytes, for the descriptor. */
uint32_t agpu_alloc_table_finish(struct agpu_alloc_table *table);

#endif
