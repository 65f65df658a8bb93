/* blocks.h: zeroing and copying a few hundred bytes in line, where calling memset and memcpy would cost as
 * much as the bytes do. Sizes are at least AGPU_BLOCKS_MIN; the first four blocks may overlap the others, so that no
 * size needs a tail. */
#ifndef AGPU_UMD_RESOURCE_BLOCKS_H
#define AGPU_UMD_RESOURCE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define AGPU_BLOCKS_MIN 64

/* One block at any address; part of the x86-64 baseline as one register. */
typedef uint64_t agpu_block __attribute__((vector_size(16), aligned(1), may_alias));

static inline void agpu_zero4(uint8_t *to)
{
    agpu_block *out = (agpu_block *)to;

    out[0] = out[1] = out[2] = out[3] = (agpu_block){0, 0};
}

static inline void agpu_copy4(uint8_t *to, const uint8_t *from)
{
    const agpu_block *in = (const agpu_block *)from;
    agpu_block *out = (agpu_block *)to, a = in[0], b = in[1], c = in[2], d = in[3];

    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

static inline void agpu_copy4_twice(uint8_t *to, uint8_t *also, const uint8_t *from)
{
    const agpu_block *in = (const agpu_block *)from;
    agpu_block *out = (agpu_block *)to, *second = (agpu_block *)also;
    agpu_block a = in[0], b = in[1], c = in[2], d = in[3];

    out[0] = second[0] = a;
    out[1] = second[1] = b;
    out[2] = second[2] = c;
    out[3] = second[3] = d;
}

/* Offset of the last blocks, less one: counted down by whole steps it is negative when only the first blocks are left, so
 * that the subtraction is the test for the end, and the first blocks are where the pointers point. */
static inline ptrdiff_t agpu_blocks_start(size_t bytes)
{
    return (ptrdiff_t)bytes - AGPU_BLOCKS_MIN - 1;
}

/* More rounds? Applications map a few hundred bytes: the compiler need not prepare for a long loop. */
#define AGPU_BLOCKS_LEFT(at) __builtin_expect_with_probability((at) >= 0, 1, 0.6)

static inline void agpu_zero_blocks(uint8_t *to, size_t bytes)
{
    ptrdiff_t at = agpu_blocks_start(bytes);

    do { /* the smallest size twice, which is less than asking every size */
        agpu_zero4(to + 1 + at);
        at -= AGPU_BLOCKS_MIN;
    } while (AGPU_BLOCKS_LEFT(at));
    agpu_zero4(to);
}

static inline void agpu_copy_blocks(uint8_t *to, const uint8_t *from, size_t bytes)
{
    ptrdiff_t at = agpu_blocks_start(bytes);

    do {
        agpu_copy4(to + 1 + at, from + 1 + at);
        at -= AGPU_BLOCKS_MIN;
    } while (AGPU_BLOCKS_LEFT(at));
    agpu_copy4(to, from);
}

/* The same bytes to two places, read once. */
static inline void agpu_copy_blocks_twice(uint8_t *to, uint8_t *also, const uint8_t *from, size_t bytes)
{
    ptrdiff_t at = agpu_blocks_start(bytes);

    do {
        agpu_copy4_twice(to + 1 + at, also + 1 + at, from + 1 + at);
        at -= AGPU_BLOCKS_MIN;
    } while (AGPU_BLOCKS_LEFT(at));
    agpu_copy4_twice(to, also, from);
}

#endif
