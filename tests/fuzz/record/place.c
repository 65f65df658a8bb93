/* place.c: maps the addresses of a run to the memory of the fuzz targets. */
#include "tests/fuzz/record/place.h"

#include <string.h>

#include "tests/fuzz/machine/guest.h"

#define WINDOW_BYTES (FUZZ_RAM_BYTES - FUZZ_OWN_BYTES)
#define WINDOW_BASE  (FUZZ_BASE + FUZZ_OWN_BYTES) /* in the replay */

static uint64_t window = WINDOW_BASE; /* in the run */

bool place_ring(uint64_t gpa)
{
    uint64_t offset;

    if (gpa == 0 || place_offset(gpa, 1, &offset)) {
        return false;
    }
    /* Firmware allocates memory from the top down: most later addresses are lower. */
    window = (gpa > WINDOW_BYTES / 4 * 3 ? gpa - WINDOW_BYTES / 4 * 3 : 0) & ~UINT64_C(0xFFFF);
    return true;
}

bool place_offset(uint64_t gpa, uint64_t size, uint64_t *offset)
{
    *offset = gpa - window;
    return gpa >= window && size <= WINDOW_BYTES && *offset <= WINDOW_BYTES - size;
}

uint64_t place_address(uint64_t gpa)
{
    uint64_t offset;

    return place_offset(gpa, 1, &offset) ? WINDOW_BASE + offset : gpa;
}

void place_words(uint64_t offset, uint8_t *bytes, size_t size)
{
    for (size_t at = (8 - offset % 8) % 8; window != WINDOW_BASE && at + 8 <= size; at += 8) {
        uint64_t word;

        memcpy(&word, bytes + at, sizeof word);
        word = place_address(word);
        memcpy(bytes + at, &word, sizeof word);
    }
}

uint32_t place_half(bool high, uint32_t value, uint32_t other)
{
    /* The low half is written first. When addresses are moved at all, the memory of the run is below 4 GiB. */
    const uint64_t low = high ? other : value;
    const uint64_t whole = window == WINDOW_BASE || (high && value != 0)
                               ? low | (uint64_t)(high ? value : other) << 32
                               : place_address(low);

    return high ? (uint32_t)(whole >> 32) : (uint32_t)whole;
}
