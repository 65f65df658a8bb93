/* fill.c: fills memory with repeated values. */
#include "tests/device/engine/fill.h"

#include <string.h>

/* A pattern this long stays in the first-level cache, so copying it is as fast as storing it. */
#define PATTERN_BYTES 4096u

/* Repeats the value in the first word over whole quadwords; returns the bytes filled. The string
 * instruction, like memset, stores without reading the cache lines first; copying a pattern reaches only 0.7
 * of its speed. */
static uint64_t fill_quadwords(uint8_t *out, uint32_t value, uint64_t bytes)
{
#ifdef __x86_64__
    if (bytes >= PATTERN_BYTES) {
        const uint64_t pair = (uint64_t)value << 32 | value;
        uint64_t count = bytes / sizeof pair;

        __asm__ volatile("rep stosq" : "+D"(out), "+c"(count) : "a"(pair) : "memory");
        return bytes & ~7ull;
    }
#else
    (void)bytes;
#endif
    memcpy(out, &value, sizeof value);
    return sizeof value;
}

void vgpu_fill32(void *to, uint32_t value, uint64_t bytes)
{
    uint8_t *out = to;
    uint64_t done;

    if ((value & 0xFF) * 0x01010101u == value) {
        memset(out, (int)(value & 0xFF), bytes);
        return;
    }
    if (bytes < sizeof value) {
        return;
    }
    done = fill_quadwords(out, value, bytes);
    while (done < bytes) { /* doubles up to the pattern, then repeats it */
        uint64_t part = done < PATTERN_BYTES ? done : PATTERN_BYTES;

        part = part < bytes - done ? part : bytes - done;
        memcpy(out + done, out, part);
        done += part;
    }
}

void vgpu_fill16(void *to, uint16_t value, uint64_t bytes)
{
    const uint64_t whole = bytes & ~3ull;

    vgpu_fill32(to, (uint32_t)value << 16 | value, whole);
    if (whole < bytes) {
        memcpy((uint8_t *)to + whole, &value, sizeof value);
    }
}

void vgpu_fill32_masked(void *to, uint32_t value, uint32_t mask, uint64_t bytes)
{
    uint8_t *out = to;

    value &= mask;
    for (uint64_t at = 0; at < bytes; at += sizeof value) {
        uint32_t word;

        memcpy(&word, out + at, sizeof word);
        word = (word & ~mask) | value;
        memcpy(out + at, &word, sizeof word);
    }
}
