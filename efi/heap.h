/* heap.h: heap of struct agpu_platform on the firmware's pool. */
#ifndef AGPU_EFI_HEAP_H
#define AGPU_EFI_HEAP_H

#include <stddef.h>

/* Zeroed memory aligned to 16 bytes, NULL when the firmware has none left. ctx is unused. */
void *agpu_heap_alloc(void *ctx, size_t size);
void agpu_heap_free(void *ctx, void *memory);

/* Returns cached free blocks to the firmware. */
void agpu_heap_trim(void);

#endif
