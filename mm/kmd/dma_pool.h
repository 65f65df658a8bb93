/* dma_pool.h: DMA memory of the kernel driver itself (allocation tables, command buffers, internal streams). Blocks
 * have power-of-two sizes and are reused, so that a steady state allocates nothing from the platform. */
#ifndef AGPU_MM_KMD_DMA_POOL_H
#define AGPU_MM_KMD_DMA_POOL_H

#include "mm/base/slab.h"

#define AGPU_DMA_POOL_CLASSES 16u /* 4 KiB .. 128 MiB */

struct agpu_dma_block {
    uint32_t size_class;
    uint32_t next; /* bytes 4..7: next free block of the class, or next free record */
    struct agpu_dma dma;
};

struct agpu_dma_pool {
    struct agpu_memory *memory;
    struct agpu_slab blocks;
    uint32_t free[AGPU_DMA_POOL_CLASSES];
    uint64_t used_bytes;
};

void agpu_dma_pool_init(struct agpu_dma_pool *pool, struct agpu_memory *memory);
/* Frees everything, blocks in use included. */
void agpu_dma_pool_fini(struct agpu_dma_pool *pool);

/* Returns a block of at least size bytes with undefined contents; AGPU_SLAB_NONE when memory is exhausted or size is
 * too large. */
uint32_t agpu_dma_pool_alloc(struct agpu_dma_pool *pool, uint64_t size);
void agpu_dma_pool_free(struct agpu_dma_pool *pool, uint32_t block);

/* Returns the memory at a device address, in use or free, for tools that show submissions. NULL when no block contains
 * the whole range. */
const void *agpu_dma_pool_find(const struct agpu_dma_pool *pool, uint64_t address, uint64_t size);

static inline const struct agpu_dma *agpu_dma_pool_at(const struct agpu_dma_pool *pool, uint32_t block)
{
    return &((struct agpu_dma_block *)agpu_slab_at(&pool->blocks, block))->dma;
}

#endif
