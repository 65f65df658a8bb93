/* slab.h: tables of the memory manager: records of one size, named by a 32-bit index, which never move. */
#ifndef AGPU_MM_BASE_SLAB_H
#define AGPU_MM_BASE_SLAB_H

#include "mm/base/memory.h"

#define AGPU_SLAB_CHUNK_RECORDS 512u
#define AGPU_SLAB_NONE          0u /* index 0 is never handed out */

struct agpu_slab {
    struct agpu_memory *memory;
    uint8_t **chunks;     /* 64-byte aligned starts */
    void **blocks;        /* heap block of each chunk */
    uint32_t chunk_count; /* chunks in use */
    uint32_t chunk_room;  /* capacity of the two arrays */
    uint32_t record_size; /* multiple of 8 */
    uint32_t limit;       /* largest number of records */
    uint32_t fresh;       /* next index never handed out */
    uint32_t free_first;  /* first in, first out: a freed index is reused as late as possible */
    uint32_t free_last;
    uint32_t live;
};

/* Initialises an empty table for up to limit records of record_size bytes. Allocates nothing yet. */
void agpu_slab_init(struct agpu_slab *slab, struct agpu_memory *memory, uint32_t record_size, uint32_t limit);
/* Frees all chunks, and with them every record. */
void agpu_slab_fini(struct agpu_slab *slab);

/* Returns the index of a record, AGPU_SLAB_NONE when memory or the limit is exhausted. A new record is zero. A recycled
 * record keeps its contents, except that bytes 4..7 (the free list) are zero: its user clears it and may keep a
 * generation. */
uint32_t agpu_slab_alloc(struct agpu_slab *slab);
void agpu_slab_free(struct agpu_slab *slab, uint32_t index);

/* True when index was handed out at some time; agpu_slab_at requires that. */
static inline bool agpu_slab_known(const struct agpu_slab *slab, uint32_t index)
{
    return index != AGPU_SLAB_NONE && index < slab->fresh;
}

/* Returns the record of a known index; valid until agpu_slab_fini. */
static inline void *agpu_slab_at(const struct agpu_slab *slab, uint32_t index)
{
    return slab->chunks[index / AGPU_SLAB_CHUNK_RECORDS] +
           (size_t)(index % AGPU_SLAB_CHUNK_RECORDS) * slab->record_size;
}

#endif
