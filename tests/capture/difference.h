/* difference.h: finds where bytes differ, by comparing 64-bit words: an emulator takes four times as long for an SSE
 * load (efi/toolchain.cmake), and a compiler for a host would generate SSE. Inlined for the same emulator, which
 * looks up the target of each function return. Freestanding. */
#ifndef AGPU_CAPTURE_DIFFERENCE_H
#define AGPU_CAPTURE_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes that are compared together. */
#define AGPU_DIFFERENCE_LINE 64u

/* Lines that are compared together, since in an emulator the test for a difference takes as long as reading a line. */
#define AGPU_DIFFERENCE_STRIDE (4 * AGPU_DIFFERENCE_LINE)

static inline uint64_t agpu_difference_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Returns a nonzero value if any bit in a line is set, or differs; the value has no other meaning. Not a loop,
 * because an emulator starts a new block of code in each iteration. */
static inline uint64_t agpu_difference_set_in_line(const uint8_t *bytes)
{
    return agpu_difference_word(bytes) | agpu_difference_word(bytes + 8) | agpu_difference_word(bytes + 16) |
           agpu_difference_word(bytes + 24) | agpu_difference_word(bytes + 32) |
           agpu_difference_word(bytes + 40) | agpu_difference_word(bytes + 48) |
           agpu_difference_word(bytes + 56);
}

static inline uint64_t agpu_difference_of_words(const uint8_t *one, const uint8_t *other)
{
    return agpu_difference_word(one) ^ agpu_difference_word(other);
}

static inline uint64_t agpu_difference_in_line(const uint8_t *one, const uint8_t *other)
{
    return agpu_difference_of_words(one, other) | agpu_difference_of_words(one + 8, other + 8) |
           agpu_difference_of_words(one + 16, other + 16) | agpu_difference_of_words(one + 24, other + 24) |
           agpu_difference_of_words(one + 32, other + 32) | agpu_difference_of_words(one + 40, other + 40) |
           agpu_difference_of_words(one + 48, other + 48) | agpu_difference_of_words(one + 56, other + 56);
}

/* Like agpu_difference_set_in_line(), for a stride. */
static inline uint64_t agpu_difference_set_in_stride(const uint8_t *bytes)
{
    return agpu_difference_set_in_line(bytes) | agpu_difference_set_in_line(bytes + 64) |
           agpu_difference_set_in_line(bytes + 128) | agpu_difference_set_in_line(bytes + 192);
}

static inline uint64_t agpu_difference_in_stride(const uint8_t *one, const uint8_t *other)
{
    return agpu_difference_in_line(one, other) | agpu_difference_in_line(one + 64, other + 64) |
           agpu_difference_in_line(one + 128, other + 128) | agpu_difference_in_line(one + 192, other + 192);
}

static inline bool agpu_difference_is_zero(const uint8_t *bytes, uint32_t size)
{
    uint32_t at = 0;

    for (; at + AGPU_DIFFERENCE_STRIDE <= size; at += AGPU_DIFFERENCE_STRIDE) {
        if (agpu_difference_set_in_stride(bytes + at) != 0) {
            return false;
        }
    }
    for (; at + AGPU_DIFFERENCE_LINE <= size; at += AGPU_DIFFERENCE_LINE) {
        if (agpu_difference_set_in_line(bytes + at) != 0) {
            return false;
        }
    }
    for (; at < size; at++) {
        if (bytes[at] != 0) {
            return false;
        }
    }
    return true;
}

/* Returns the number of equal bytes at the start: all, or a multiple of a line. */
static inline uint32_t agpu_difference_equal(const uint8_t *one, const uint8_t *other, uint32_t size)
{
    uint32_t at = 0;

    while (at + AGPU_DIFFERENCE_STRIDE <= size && agpu_difference_in_stride(one + at, other + at) == 0) {
        at += AGPU_DIFFERENCE_STRIDE;
    }
    while (at + AGPU_DIFFERENCE_LINE <= size && agpu_difference_in_line(one + at, other + at) == 0) {
        at += AGPU_DIFFERENCE_LINE;
    }
    return at == size || (size - at < AGPU_DIFFERENCE_LINE && memcmp(one + at, other + at, size - at) == 0)
               ? size
               : at;
}

/* Returns the number of bytes of whole lines at the start that differ at both ends, so that nothing there can be left
 * out. */
static inline uint32_t agpu_difference_dense(const uint8_t *one, const uint8_t *other, uint32_t size)
{
    uint32_t at = 0;

    while (at + AGPU_DIFFERENCE_LINE <= size && one[at] != other[at] &&
           one[at + AGPU_DIFFERENCE_LINE - 1] != other[at + AGPU_DIFFERENCE_LINE - 1]) {
        at += AGPU_DIFFERENCE_LINE;
    }
    return at;
}

/* Narrows [*first, *last) to the range from the first to the last different byte; to an empty one if none differs. */
static inline void agpu_difference_narrow(const uint8_t *one, const uint8_t *other, uint32_t *first,
                                          uint32_t *last)
{
    uint32_t from = *first, to = *last;

    while (to - from >= sizeof(uint64_t)) {
        const uint64_t differs = agpu_difference_word(one + from) ^ agpu_difference_word(other + from);

        if (differs != 0) {
            from += (uint32_t)__builtin_ctzll(differs) / 8;
            break;
        }
        from += (uint32_t)sizeof(uint64_t);
    }
    while (from < to && one[from] == other[from]) {
        from++;
    }
    while (to - from >= sizeof(uint64_t)) {
        const uint64_t differs = agpu_difference_word(one + to - sizeof(uint64_t)) ^
                                 agpu_difference_word(other + to - sizeof(uint64_t));

        if (differs != 0) {
            to -= (uint32_t)__builtin_clzll(differs) / 8;
            break;
        }
        to -= (uint32_t)sizeof(uint64_t);
    }
    while (to > from && one[to - 1] == other[to - 1]) {
        to--;
    }
    *first = from;
    *last = to;
}

#endif
