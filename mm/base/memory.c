/* memory.c: counted heap and DMA memory, from the platform. */
#include "mm/base/memory.h"

#include <string.h>

void *agpu_memory_alloc(struct agpu_memory *memory, size_t size)
{
    if (size == 0) {
        return NULL;
    }
    void *block = memory->platform->heap_alloc(memory->platform->ctx, size);
    if (block == NULL) {
        return NULL;
    }
    memory->heap_blocks++;
    memory->heap_bytes += size;
    memory->heap_allocs++;
    return block;
}

void agpu_memory_free(struct agpu_memory *memory, void *block, size_t size)
{
    if (block == NULL) {
        return;
    }
    memory->platform->heap_free(memory->platform->ctx, block);
    memory->heap_blocks--;
    memory->heap_bytes -= size;
}

bool agpu_memory_alloc_dma(struct agpu_memory *memory, uint64_t size, struct agpu_dma *out)
{
    memset(out, 0, sizeof *out);
    if (size == 0 || size > SIZE_MAX) {
        return false;
    }
    struct agpu_dma dma = {0};
    if (memory->platform->dma_alloc(memory->platform->ctx, &memory->function, (size_t)size, &dma) !=
        AGPU_OK) {
        return false;
    }
    memory->dma_blocks++;
    memory->dma_bytes += dma.size;
    *out = dma;
    return true;
}

void agpu_memory_free_dma(struct agpu_memory *memory, struct agpu_dma *dma)
{
    if (dma->cpu == NULL) {
        return;
    }
    memory->dma_blocks--;
    memory->dma_bytes -= dma->size;
    memory->platform->dma_free(memory->platform->ctx, dma);
    memset(dma, 0, sizeof *dma);
}

uint64_t agpu_page_round(uint64_t size)
{
    if (size > UINT64_MAX - (AGPU_PAGE_SIZE - 1u)) {
        return UINT64_MAX;
    }
    return (size + AGPU_PAGE_SIZE - 1u) & ~(uint64_t)(AGPU_PAGE_SIZE - 1u);
}
