/* heap.c: blocks of the reference's arena. Sizes are powers of two, and freed blocks are reused for their own size
 * only: constant time and no fragmentation; a ring reset makes the whole arena free. */
#include "tests/cases/reference/heap.h"

#include <string.h>

/* Returns the bin for a size: its blocks have 16 << bin bytes. */
static unsigned bin_of(uint64_t size)
{
    unsigned bin = 0;

    while (UINT64_C(16) << bin < size) {
        bin++;
    }
    return bin;
}

void *agpu_ref_alloc(struct agpu_ref *ref, uint64_t size)
{
    struct agpu_ref_heap *heap = &ref->heap;
    const unsigned bin = size <= heap->size ? bin_of(size) : AGPU_REF_BINS;
    uint8_t *block;

    if (bin >= AGPU_REF_BINS) {
        return NULL;
    }
    block = heap->free[bin];
    if (block != NULL) {
        memcpy(&heap->free[bin], block, sizeof heap->free[bin]);
    } else {
        if (UINT64_C(16) << bin > heap->size - heap->used) {
            return NULL;
        }
        block = heap->base + heap->used;
        heap->used += (size_t)16 << bin;
    }
    memset(block, 0, (size_t)size);
    return block;
}

void agpu_ref_free(struct agpu_ref *ref, void *block, uint64_t size)
{
    if (block != NULL) {
        const unsigned bin = bin_of(size);

        memcpy(block, &ref->heap.free[bin], sizeof ref->heap.free[bin]);
        ref->heap.free[bin] = block;
    }
}
