/* decorations.c: removes repeated decorations from SPIR-V. */
#include "tests/device/shaderc/decorations.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 5, OP_DECORATE = 71 };

/* True when out[from, to) already contains this instruction of length words. */
static bool decoration_repeated(const uint32_t *out, uint32_t from, uint32_t to, const uint32_t *instruction,
                                uint32_t length)
{
    for (uint32_t at = from; at < to; at += out[at] >> 16) {
        if (out[at] == instruction[0] && memcmp(out + at, instruction, length * sizeof *out) == 0) {
            return true;
        }
    }
    return false;
}

uint32_t *vgpu_decorations(const uint32_t *words, uint32_t *size)
{
    uint32_t count = *size / 4, to = HEADER, first = 0;
    uint32_t *out = malloc(*size);

    if (out == NULL || count < HEADER) {
        free(out);
        return NULL;
    }
    memcpy(out, words, HEADER * sizeof *out);
    for (uint32_t at = HEADER; at < count;) {
        uint32_t length = words[at] >> 16;

        if (length == 0 || length > count - at) {
            free(out);
            return NULL;
        }
        bool decorate = (words[at] & 0xffff) == OP_DECORATE;
        if (decorate && !first) {
            first = to;
        }
        if (!decorate || !decoration_repeated(out, first, to, words + at, length)) {
            memcpy(out + to, words + at, length * sizeof *out);
            to += length;
        }
        at += length;
    }
    *size = to * 4;
    return out;
}
