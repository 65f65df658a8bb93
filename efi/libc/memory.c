/* memory.c: mem* for the image. Built with -fno-builtin; otherwise the compiler would turn the loops into
 * calls of these functions. */
#include <stddef.h>
#include <stdint.h>

/* Loads 8 bytes at any address instead of 16 bytes of SSE: an emulator stores SSE registers in two halves and
 * takes three to five times as long to load them (efi/toolchain.cmake). For stores SSE is faster. */
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

/* Reads all words before it writes the first. */
static inline void copy_four(unsigned char *to, const unsigned char *from)
{
    const uint64_t a = load_word(from), b = load_word(from + 8);
    const uint64_t c = load_word(from + 16), d = load_word(from + 24);

    store_word(to, a);
    store_word(to + 8, b);
    store_word(to + 16, c);
    store_word(to + 24, d);
}

/* Copies forward. The tail after the words is less than eight bytes. It is optimized because most copies are
 * short and an emulator takes as long for a byte as for a word. */
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
