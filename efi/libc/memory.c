/* memory.c: mem* for the image. Built with -fno-builtin, or the loops would be turned into calls of
 * themselves. */
#include <stddef.h>
#include <stdint.h>

/* Words at any address, and not the sixteen bytes of SSE: an emulator keeps those in two halves, and takes three to five times as
 * long to read them (efi/toolchain.cmake); to write them it takes less. */
static inline uint64_t load_word(const unsigned char *from)
{
    uint64_t word;

    __builtin_memcpy(&word, from, sizeof word);
    return word;
}

typedef uint64_t unaligned16 __attribute__((vector_size(16), aligned(1), may_alias));

static inline void store_word(unsigned char *to, uint64_t word)
{
    __builtin_memcpy(to, &word, sizeof word);
}

/* All of them are read before the first is written. */
static inline void copy_four(unsigned char *to, const unsigned char *from)
{
    const uint64_t a = load_word(from), b = load_word(from + 8);
    const uint64_t c = load_word(from + 16), d = load_word(from + 24);

    store_word(to, a);
    store_word(to + 8, b);
    store_word(to + 16, c);
    store_word(to + 24, d);
}

/* Forward. What is left behind the words is less than eight bytes: most of what is copied is short, and an emulator takes as long for
 * a byte as for a word. */
static inline void copy_up(unsigned char *to, const unsigned char *from, size_t size)
{
    for (; size >= 64; size -= 64, from += 64, to += 64) {
        copy_four(to, from);
        copy_four(to + 32, from + 32);
    }
    for (; size >= 8; size -= 8, from += 8, to += 8) {
        store_word(to, load_word(from));
    }
    if (size >= 4) {
        uint32_t half;

        __builtin_memcpy(&half, from, sizeof half);
        __builtin_memcpy(to, &half, sizeof half);
        to += 4;
        from += 4;
        size -= 4;
    }
    while (size--) {
        *to++ = *from++;
    }
}

/* Prototyped here and not by <string.h>, whose macros would rename them. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;

    /* Forward copying is right whenever the destination does not start inside the source. */
    if ((uintptr_t)out - (uintptr_t)in >= size) {
        copy_up(out, in, size);
        return to;
    }
    for (; size >= 32; size -= 32) {
        copy_four(out + size - 32, in + size - 32);
    }
    while (size--) {
        out[size] = in[size];
    }
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *out = to;
    const uint64_t word = (uint64_t)(unsigned char)byte * UINT64_C(0x0101010101010101);
    const unaligned16 block = {word, word};

    for (; size >= 64; size -= 64, out += 64) {
        for (size_t at = 0; at < 64; at += 16) {
            *(unaligned16 *)(out + at) = block;
        }
    }
    for (; size >= 8; size -= 8, out += 8) {
        store_word(out, word);
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
        uint64_t differs = 0;

        for (size_t at = 0; at < 32; at += 8) {
            differs |= load_word(left + at) ^ load_word(right + at);
        }
        if (differs != 0) {
            break;
        }
    }
    for (; size >= 8 && load_word(left) == load_word(right); size -= 8, left += 8, right += 8) {
        ;
    }
    for (; size; size--, left++, right++) {
        if (*left != *right) {
            return *left < *right ? -1 : 1;
        }
    }
    return 0;
}
