/* guarded_heap.h: heap blocks that end where memory ends, so that the first access past the end crashes. guarded_free()
 * checks the bytes around the block; the reuse of freed memory checks that it was not written. Under AddressSanitizer
 * this is the sanitizer's heap, which finds all of that at once. */
#ifndef AGPU_TESTS_UNIT_GUARDED_HEAP_H
#define AGPU_TESTS_UNIT_GUARDED_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool all_bytes_are(const uint8_t *bytes, size_t count, uint8_t value)
{
    /* The first byte has the value, and each one equals its predecessor. */
    return count == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, count - 1) == 0);
}

/* Returns a 16-byte aligned block with each byte set to fill. Aborts if there is no memory. */
void *guarded_alloc(size_t size, int fill);
/* Frees a block, or nothing for NULL. Aborts if the bytes around the block were written. */
void guarded_free(void *memory);

#endif
