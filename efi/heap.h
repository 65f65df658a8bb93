/* heap.h: struct agpu_platform's heap on the firmware's pool. */
#ifndef AGPU_EFI_HEAP_H
#define AGPU_EFI_HEAP_H

#include <stddef.h>

/* Zeroed memory aligned to 16 bytes, NULL when the firmware has none left. ctx is unused. */
void *agpu_heap_alloc(void *ctx, size_t size);
void agpu_heap_free(void *ctx, void *memory);

/* Gives back to the firmware what was freed and waits to be used again. */
void agpu_heap_trim(void);

#endif
