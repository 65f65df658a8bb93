/* memory.c: mem* for the image. Built with -fno-builtin, or the loops would be turned into calls of
 * themselves. */
#include <stddef.h>
#include <stdint.h>

/* Sixteen bytes at any address: SSE2 is part of the x86-64 baseline that UEFI guarantees. */
typedef uint64_t unaligned16 __attribute__((vector_size(16), aligned(1), may_alias));

/* What is left behind the blocks, less than sixteen bytes: most of what is copied is short, and an emulator takes as long for
 * a byte as for a word. */
static inline void copy_rest(unsigned char *out, const unsigned char *in, size_t size)
{
    if (size >= 8) {
        __builtin_memcpy(out, in, 8);
        out += 8;
        in += 8;
        size -= 8;
    }
    if (size >= 4) {
        __builtin_memcpy(out, in, 4);
        out += 4;
        in += 4;
        size -= 4;
    }
    while (size--) {
        *out++ = *in++;
    }
}

/* Prototyped here and not by <string.h>, whose macros would rename them. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    for (; size >= 64; size -= 64, in += 64, out += 64) {
        unaligned16 a = *(const unaligned16 *)in, b = *(const unaligned16 *)(in + 16);
        unaligned16 c = *(const unaligned16 *)(in + 32), d = *(const unaligned16 *)(in + 48);

        *(unaligned16 *)out = a;
        *(unaligned16 *)(out + 16) = b;
        *(unaligned16 *)(out + 32) = c;
        *(unaligned16 *)(out + 48) = d;
    }
    for (; size >= 16; size -= 16, in += 16, out += 16) {
        *(unaligned16 *)out = *(const unaligned16 *)in;
    }
    copy_rest(out, in, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    /* Forward copying is right whenever the destination does not start inside the source. */
    if ((uintptr_t)out - (uintptr_t)in >= size) {
        for (; size >= 16; size -= 16, in += 16, out += 16) {
            *(unaligned16 *)out = *(const unaligned16 *)in;
        }
        while (size--) {
            *out++ = *in++;
        }
        return to;
    }
    for (; size >= 16; size -= 16) {
        unaligned16 block = *(const unaligned16 *)(in + size - 16);

        *(unaligned16 *)(out + size - 16) = block;
    }
    while (size--) {
        out[size] = in[size];
    }
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *out = to;
    uint64_t word = (uint64_t)(unsigned char)byte * UINT64_C(0x0101010101010101);
    unaligned16 block = {word, word};

    for (; size >= 16; size -= 16, out += 16) {
        *(unaligned16 *)out = block;
    }
    if (size >= 8) {
        __builtin_memcpy(out, &word, 8);
        out += 8;
        size -= 8;
    }
    while (size--) {
        *out++ = (unsigned char)byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *left = a, *right = b;

    for (; size >= 32; size -= 32, left += 32, right += 32) {
        uint64_t x[4], y[4];

        __builtin_memcpy(x, left, sizeof x);
        __builtin_memcpy(y, right, sizeof y);
        if (((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) != 0) {
            break;
        }
    }
    for (; size >= 8; size -= 8, left += 8, right += 8) {
        uint64_t x, y;

        __builtin_memcpy(&x, left, 8);
        __builtin_memcpy(&y, right, 8);
        if (x != y) {
            break;
        }
    }
    for (; size; size--, left++, right++) {
        if (*left != *right) {
            return *left < *right ? -1 : 1;
        }
    }
    return 0;
}
