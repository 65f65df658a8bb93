/* contents.c: bytes with an origin, and the description of wrong ones. */
#include "tests/cases/rig/contents.h"

#include <string.h>

#include "pci/machine/text.h"

#define ORIGIN_SHIFT 6u
#define NEAR         64u /* distance in bytes within which expected bytes are searched for */
#define COMPARED     8u  /* number of bytes that have to be equal */

/* Returns the word at a place that is a multiple of 4. */
static uint32_t origin_word(size_t place, uint32_t seed, enum agpu_origin origin)
{
    uint32_t word = ((uint32_t)(place >> 2) + seed * 0x9E3779B9u) * 2654435761u;

    word = (word ^ word >> 15) * 2246822519u;
    return ((word ^ word >> 13) & 0x3F3F3F3Fu) | 0x01010101u * ((uint32_t)origin << ORIGIN_SHIFT);
}

void agpu_fill_origin(void *memory, size_t size, uint32_t seed, enum agpu_origin origin)
{
    uint8_t *bytes = memory;

    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        const uint32_t word = origin_word(at, seed, origin);

        memcpy(bytes + at, &word, size - at < sizeof word ? size - at : sizeof word);
    }
}

uint8_t agpu_origin_at(size_t place, uint32_t seed, enum agpu_origin origin)
{
    return (uint8_t)(origin_word(place & ~(size_t)3, seed, origin) >> 8 * (place & 3));
}

static const char *origin_name(uint8_t byte)
{
    switch (byte >> ORIGIN_SHIFT) {
    case AGPU_FROM_SOURCE:
        return "the source's";
    case AGPU_FROM_DEVICE:
        return "the device's earlier one";
    case AGPU_FROM_GUEST:
        return "guest memory's earlier one";
    default:
        return byte == 0 ? "zero" : "no known origin's";
    }
}

/* Returns true if the expected bytes around this place were made by agpu_fill_origin(): words of one origin, each
 * different from the next. Bytes of a plain colour are not. */
static bool has_origin(const uint8_t *expected, size_t first, size_t size)
{
    const size_t begin = first + COMPARED <= size ? first : size - COMPARED;

    if (size < COMPARED || memcmp(expected + begin, expected + begin + 4, 4) == 0) {
        return false;
    }
    for (size_t i = 0; i < 4; i++) {
        if (expected[begin + i] >> ORIGIN_SHIFT != expected[first] >> ORIGIN_SHIFT) {
            return false;
        }
    }
    return expected[first] >> ORIGIN_SHIFT != 0;
}

/* Appends by how many bytes the actual bytes are displaced, if they are. */
static void describe_shift(struct agpu_text *text, const uint8_t *actual, const uint8_t *expected,
                           size_t first, size_t size)
{
    if (size - first < COMPARED) {
        return;
    }
    for (size_t by = 1; by <= NEAR; by++) {
        if (first + by + COMPARED <= size && memcmp(actual + first, expected + first + by, COMPARED) == 0) {
            agpu_format(text, ", from further up by %zu", by);
            return;
        }
        if (by <= first && memcmp(actual + first, expected + first - by, COMPARED) == 0) {
            agpu_format(text, ", from further down by %zu", by);
            return;
        }
    }
}

bool agpu_check_origins_at(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                           const char *what, struct agpu_where where)
{
    const uint8_t *a = actual;
    const uint8_t *e = expected;
    size_t first = 0;
    char buffer[256];
    struct agpu_text text;

    if (size == 0 || memcmp(a, e, size) == 0) {
        return true;
    }
    while (a[first] == e[first]) {
        first++;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "%s: byte 0x%zx", what, first);
    if (has_origin(e, first, size)) {
        agpu_format(&text, " looks like %s, expected %s", origin_name(a[first]), origin_name(e[first]));
        describe_shift(&text, a, e, first, size);
    }
    return agpu_check_memory(test, actual, expected, size, buffer, where);
}
