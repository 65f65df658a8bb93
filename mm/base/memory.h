/* memory.h: heap and DMA memory of the memory manager, counted so that leaks are detected. */
#ifndef AGPU_MM_BASE_MEMORY_H
#define AGPU_MM_BASE_MEMORY_H

#include "pci/machine/platform.h"

#define AGPU_PAGE_SIZE 4096u

/* Source of memory for mm/, with counts of what is allocated now. The counts are zero once everything was freed. */
struct agpu_memory {
    const struct agpu_platform *platform;
    struct agpu_pci_ref function; /* the function that DMA memory is mapped for */
    uint64_t heap_blocks, heap_bytes;
    uint64_t dma_blocks, dma_bytes;
    uint64_t heap_allocs; /* successful agpu_memory_alloc calls in total */
};

/* Returns zeroed heap memory, 16-byte aligned; NULL when memory is exhausted or size is 0. Free it with the same
 * size. */
void *agpu_memory_alloc(struct agpu_memory *memory, size_t size);
void agpu_memory_free(struct agpu_memory *memory, void *block, size_t size);

/* Allocates zeroed DMA memory in whole pages. Returns false and leaves *out zero when the platform has none. */
bool agpu_memory_alloc_dma(struct agpu_memory *memory, uint64_t size, struct agpu_dma *out);
/* Frees DMA memory and zeroes the record; a zero record is ignored. */
void agpu_memory_free_dma(struct agpu_memory *memory, struct agpu_dma *dma);

/* Rounds up to a page; UINT64_MAX when the result does not fit. */
uint64_t agpu_page_round(uint64_t size);

#endif
