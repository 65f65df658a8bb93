/* slab.c: tables of records in chunks. */
#include "mm/base/slab.h"

#include <string.h>

/* Padding to start each chunk on a cache line, so that a 64- or 128-byte record touches as few lines as possible. */
#define CHUNK_ALIGN 64u

void agpu_slab_init(struct agpu_slab *slab, struct agpu_memory *memory, uint32_t record_size, uint32_t limit)
{
    memset(slab, 0, sizeof *slab);
    slab->memory = memory;
    slab->record_size = record_size;
    slab->limit = limit;
    slab->fresh = 1;
}

static size_t slab_chunk_bytes(const struct agpu_slab *slab)
{
    return (size_t)slab->record_size * AGPU_SLAB_CHUNK_RECORDS + CHUNK_ALIGN;
}

void agpu_slab_fini(struct agpu_slab *slab)
{
    for (uint32_t i = 0; i < slab->chunk_count; i++) {
        agpu_memory_free(slab->memory, slab->blocks[i], slab_chunk_bytes(slab));
    }
    agpu_memory_free(slab->memory, slab->chunks, slab->chunk_room * sizeof *slab->chunks);
    agpu_memory_free(slab->memory, slab->blocks, slab->chunk_room * sizeof *slab->blocks);
    agpu_slab_init(slab, slab->memory, slab->record_size, slab->limit);
}

static bool grow_chunk_arrays(struct agpu_slab *slab)
{
    uint32_t room = slab->chunk_room == 0 ? 16u : slab->chunk_room * 2u;
    uint8_t **chunks = agpu_memory_alloc(slab->memory, room * sizeof *chunks);
    void **blocks = agpu_memory_alloc(slab->memory, room * sizeof *blocks);

    if (chunks == NULL || blocks == NULL) {
        agpu_memory_free(slab->memory, chunks, room * sizeof *chunks);
        agpu_memory_free(slab->memory, blocks, room * sizeof *blocks);
        return false;
    }
    if (slab->chunk_count != 0) {
        memcpy(chunks, slab->chunks, slab->chunk_count * sizeof *chunks);
        memcpy(blocks, slab->blocks, slab->chunk_count * sizeof *blocks);
    }
    agpu_memory_free(slab->memory, slab->chunks, slab->chunk_room * sizeof *slab->chunks);
    agpu_memory_free(slab->memory, slab->blocks, slab->chunk_room * sizeof *slab->blocks);
    slab->chunks = chunks;
    slab->blocks = blocks;
    slab->chunk_room = room;
    return true;
}

static bool add_slab_chunk(struct agpu_slab *slab)
{
    if (slab->chunk_count == slab->chunk_room && !grow_chunk_arrays(slab)) {
        return false;
    }
    void *block = agpu_memory_alloc(slab->memory, slab_chunk_bytes(slab));
    if (block == NULL) {
        return false;
    }
    uintptr_t start = ((uintptr_t)block + CHUNK_ALIGN - 1u) & ~(uintptr_t)(CHUNK_ALIGN - 1u);
    slab->blocks[slab->chunk_count] = block;
    slab->chunks[slab->chunk_count] = (uint8_t *)start;
    slab->chunk_count++;
    return true;
}

/* Returns the free list's link of a record. It is the second word, because the first may keep a handle's generation. */
static uint32_t *free_list_link(struct agpu_slab *slab, uint32_t index)
{
    return (uint32_t *)agpu_slab_at(slab, index) + 1;
}

uint32_t agpu_slab_alloc(struct agpu_slab *slab)
{
    uint32_t index = slab->free_first;

    if (index != AGPU_SLAB_NONE) {
        uint32_t *link = free_list_link(slab, index);

        slab->free_first = *link;
        *link = 0;
        if (slab->free_first == AGPU_SLAB_NONE) {
            slab->free_last = AGPU_SLAB_NONE;
        }
    } else {
        if (slab->fresh > slab->limit) {
            return AGPU_SLAB_NONE;
        }
        if (slab->fresh >= slab->chunk_count * AGPU_SLAB_CHUNK_RECORDS && !add_slab_chunk(slab)) {
            return AGPU_SLAB_NONE;
        }
        index = slab->fresh++;
    }
    slab->live++;
    return index;
}

void agpu_slab_free(struct agpu_slab *slab, uint32_t index)
{
    *free_list_link(slab, index) = AGPU_SLAB_NONE;
    if (slab->free_last == AGPU_SLAB_NONE) {
        slab->free_first = index;
    } else {
        *free_list_link(slab, slab->free_last) = index;
    }
    slab->free_last = index;
    slab->live--;
}
