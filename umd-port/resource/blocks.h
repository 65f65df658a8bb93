/* blocks.h: zeroing and copying a few hundred bytes in line, where calling memset and memcpy would cost as
 * much as the bytes do. Sizes are at least AGPU_BLOCKS_MIN; the last four blocks may overlap the others, so that no
 * size needs a tail. */
#ifndef AGPU_UMD_RESOURCE_BLOCKS_H
#define AGPU_UMD_RESOURCE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define AGPU_BLOCKS_MIN 64u

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

static inline void agpu_zero_blocks(uint8_t *to, size_t bytes)
{
    const size_t last = bytes - AGPU_BLOCKS_MIN;
    size_t at = 0;

    do { /* the smallest size twice, which is less than asking every size */
        agpu_zero4(to + at);
        at += AGPU_BLOCKS_MIN;
    } while (at < last);
    agpu_zero4(to + last);
}

static inline void agpu_copy_blocks(uint8_t *to, const uint8_t *from, size_t bytes)
{
    const size_t last = bytes - AGPU_BLOCKS_MIN;
    size_t at = 0;

    do { /* the smallest size twice, which is less than asking every size */
        agpu_copy4(to + at, from + at);
        at += AGPU_BLOCKS_MIN;
    } while (at < last);
    agpu_copy4(to + last, from + last);
}

/* The same bytes to two places, read once. */
static inline void agpu_copy_blocks_twice(uint8_t *to, uint8_t *also, const uint8_t *from, size_t bytes)
{
    const size_t last = bytes - AGPU_BLOCKS_MIN;
    size_t at = 0;

    do { /* the smallest size twice, which is less than asking every size */
        agpu_copy4_twice(to + at, also + at, from + at);
        at += AGPU_BLOCKS_MIN;
    } while (at < last);
    agpu_copy4_twice(to + last, also + last, from + last);
}

#endif
