/* heap.h: where a capture takes memory from as it grows. Freestanding. */
#ifndef AGPU_CAPTURE_HEAP_H
#define AGPU_CAPTURE_HEAP_H

#include <stddef.h>

struct agpu_capture_heap {
    void *(*alloc)(void *ctx, size_t size); /* aligned to 16; NULL: there is no more */
    void (*free)(void *ctx, void *memory);
    void *ctx;
};

#endif
