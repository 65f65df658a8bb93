/* heap.h: the allocator for a capture's growing memory. Freestanding. */
#ifndef AGPU_CAPTURE_HEAP_H
#define AGPU_CAPTURE_HEAP_H

#include <stddef.h>

struct agpu_capture_heap {
    void *(*alloc)(void *ctx, size_t size); /* aligned to 16; NULL: out of memory */
    void (*free)(void *ctx, void *memory);
    void *ctx;
};

#endif
