/* heap.c: the pool promises 8-byte alignment, so each block carries room to move up and remembers where it
 * began. */
#include "efi/heap.h"

#include <string.h>

#include "efi/machine.h"

#define HEAP_ALIGN 16u

void *agpu_heap_alloc(void *ctx, size_t size)
{
    void *raw;

    (void)ctx;
    /* The pointer before the block, and at most 15 bytes of moving up: at least 8, since the pool aligns
     * to 8. */
    if (size > SIZE_MAX - 2 * HEAP_ALIGN ||
        EFI_ERROR(agpu_boot->AllocatePool(EfiBootServicesData, size + 2 * HEAP_ALIGN, &raw))) {
        return NULL;
    }
    uintptr_t block = ((uintptr_t)raw + sizeof(void *) + HEAP_ALIGN - 1) & ~(uintptr_t)(HEAP_ALIGN - 1);
    ((void **)block)[-1] = raw;
    return memset((void *)block, 0, size);
}

void agpu_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    if (memory != NULL) {
        agpu_boot->FreePool(((void **)memory)[-1]);
    }
}
