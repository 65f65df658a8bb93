/* guarded_heap.h: heap blocks that end where memory ends: the first access beyond one is a crash, and so is most use
 * after its end. What a block's rounding leaves, and what lies before it, is looked at when it is given back. */
#ifndef AGPU_TESTS_UNIT_GUARDED_HEAP_H
#define AGPU_TESTS_UNIT_GUARDED_HEAP_H

#include <stddef.h>

/* 16-byte aligned, each byte set to fill. Aborts when the process has no more memory. */
void *guarded_alloc(size_t size, int fill);
/* Aborts when something was written around the block. NULL is no block. */
void guarded_free(void *memory);

#endif
