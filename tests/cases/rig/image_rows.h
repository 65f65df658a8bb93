/* image_rows.h: images that are compared row by row, in memory: how much of all differs, and what it looks like. */
#ifndef AGPU_CASES_RIG_IMAGE_ROWS_H
#define AGPU_CASES_RIG_IMAGE_ROWS_H

#include "tests/cases/harness/check.h"

struct agpu_image_rows {
    const uint8_t *actual; /* rows lie actual_pitch bytes apart */
    size_t actual_pitch;
    const uint8_t *expected;  /* tight */
    uint32_t row_bytes, rows; /* of texels, or of blocks */
    uint32_t
        texel_bytes; /* 4: eight bits a channel, red first, or blue where swapped is set; any other: shown byte by
                                   byte as grey */
    bool swapped;
    uint32_t tolerance; /* of each byte */
    bool ignore_x;      /* every fourth byte is not compared */
};

/* Row and byte in it of the first that differs; row is rows when none does. */
struct agpu_row_place {
    uint32_t row, byte;
};
struct agpu_row_place agpu_rows_first_wrong(const struct agpu_image_rows *image);

/* Appends "; 3 of 16 rows, 40 of 1024 bytes differ". */
void agpu_rows_describe(struct agpu_text *text, const struct agpu_image_rows *image);

/* Sends pictures of what was expected, what is there and the difference, of a part around the first that differs where the
 * whole is too large; nothing when the case has sent pictures. Alpha is shown as if it were opaque. */
void agpu_rows_show(struct agpu_test *test, const struct agpu_image_rows *image);

#endif
