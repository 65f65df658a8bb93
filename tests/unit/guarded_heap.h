/* guarded_heap.h: heap blocks that end where memory ends: the first access beyond one is a crash. What a block's rounding
 * leaves, and what lies before it, is looked at when it is given back; what was given back, when it is used again.
 * Under AddressSanitizer the sanitizer's heap, which sees all of that at once. */
#ifndef AGPU_TESTS_UNIT_GUARDED_HEAP_H
#define AGPU_TESTS_UNIT_GUARDED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool all_bytes_are(const uint8_t *bytes, size_t count, uint8_t value)
{
    /* The first, and each like the one before it. */
    return count == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* 16-byte aligned, each byte set to fill. Aborts when the process has no more memory. */
void *guarded_alloc(size_t size, int fill);
/* Aborts when something was written around the block. NULL is no block. */
void guarded_free(void *memory);

#endif
