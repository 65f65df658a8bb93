/* mismatch.h: describes wrong bytes or a wrong number in one sentence: where they differ, and what they resemble (old,
 * zero, from another place, moved, in another order). */
#ifndef AGPU_CASES_HARNESS_MISMATCH_H
#define AGPU_CASES_HARNESS_MISMATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/text.h"

/* Memory with expected contents. Only actual, expected and size are mandatory. */
struct agpu_region {
    const uint8_t *actual;
    const uint8_t *expected;
    size_t size;
    const uint8_t *before; /* contents before the work; NULL: unknown */
    size_t pitch;          /* bytes from row to row; 0: not in rows */
    size_t unit;           /* bytes of a texel or word; 0: unknown */
};

/* Appends where the bytes differ and what the wrong ones are, as one clause without a full stop: "the last 8 of 512
 * bytes are zero"; "rows 4 to 7 of 8 are as before". Appends nothing if all are equal. */
void agpu_mismatch_bytes(struct agpu_text *text, const struct agpu_region *region);

/* Appends a map of the region in at most 64 characters, "[....##+.]": # all bytes differ, + some, . none; and the
 * size that one character stands for: rows if they are known, pages in large regions. */
void agpu_mismatch_map(struct agpu_text *text, const struct agpu_region *region);

/* Appends what a wrong number looks like, as one clause. Appends nothing if that would only repeat the two values.
 * hex: the number is a register value or a code, otherwise it is a count. */
void agpu_mismatch_number(struct agpu_text *text, uint64_t actual, uint64_t expected, bool hex);

#endif
