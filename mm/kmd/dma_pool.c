/* dma_pool.c: the kernel driver's DMA blocks, reused by size. */
#include "mm/kmd/dma_pool.h"

#include <string.h>

static struct agpu_dma_block *dma_block_at(const struct agpu_dma_pool *pool, uint32_t block)
{
    return agpu_slab_at(&pool->blocks, block);
}

void agpu_dma_pool_init(struct agpu_dma_pool *pool, struct agpu_memory *memory)
{
    memset(pool, 0, sizeof *pool);
    pool->memory = memory;
    agpu_slab_init(&pool->blocks, memory, sizeof(struct agpu_dma_block), UINT32_MAX - 1u);
}

void agpu_dma_pool_fini(struct agpu_dma_pool *pool)
{
    for (uint32_t i = 1; i < pool->blocks.fresh; i++) {
        agpu_memory_free_dma(pool->memory, &dma_block_at(pool, i)->dma);
    }
    agpu_slab_fini(&pool->blocks);
    agpu_dma_pool_init(pool, pool->memory);
}

uint32_t agpu_dma_pool_alloc(struct agpu_dma_pool *pool, uint64_t size)
{
    uint32_t size_class = 0;

    while (size_class < AGPU_DMA_POOL_CLASSES && (uint64_t)AGPU_PAGE_SIZE << size_class < size) {
        size_class++;
    }
    if (size_class == AGPU_DMA_POOL_CLASSES) {
        return AGPU_SLAB_NONE;
    }
    uint64_t bytes = (uint64_t)AGPU_PAGE_SIZE << size_class;
    uint32_t index = pool->free[size_class];
    if (index != AGPU_SLAB_NONE) {
        pool->free[size_class] = dma_block_at(pool, index)->next;
    } else {
        index = agpu_slab_alloc(&pool->blocks);
        if (index == AGPU_SLAB_NONE) {
            return AGPU_SLAB_NONE;
        }
        struct agpu_dma_block *block = dma_block_at(pool, index);
        block->size_class = size_class;
        if (!agpu_memory_alloc_dma(pool->memory, bytes, &block->dma)) {
            agpu_slab_free(&pool->blocks, index);
            return AGPU_SLAB_NONE;
        }
    }
    dma_block_at(pool, index)->next = AGPU_SLAB_NONE;
    pool->used_bytes += bytes;
    return index;
}

void agpu_dma_pool_free(struct agpu_dma_pool *pool, uint32_t block)
{
    struct agpu_dma_block *self = dma_block_at(pool, block);

    pool->used_bytes -= (uint64_t)AGPU_PAGE_SIZE << self->size_class;
    self->next = pool->free[self->size_class];
    pool->free[self->size_class] = block;
}

const void *agpu_dma_pool_find(const struct agpu_dma_pool *pool, uint64_t address, uint64_t size)
{
    for (uint32_t i = 1; i < pool->blocks.fresh; i++) {
        const struct agpu_dma *dma = &dma_block_at(pool, i)->dma;

        if (dma->cpu != NULL && address >= dma->device_address &&
            address - dma->device_address <= dma->size &&
            size <= dma->size - (address - dma->device_address)) {
            return (const uint8_t *)dma->cpu + (address - dma->device_address);
        }
    }
    return NULL;
}
