/* rows_picture.h: what rows of texels that differ look like. */
#ifndef AGPU_CASES_RIG_ROWS_PICTURE_H
#define AGPU_CASES_RIG_ROWS_PICTURE_H

#include "tests/cases/harness/rows.h"

struct agpu_rows_picture {
    struct agpu_rows rows;
    bool colour;     /* texels of four bytes, one a channel; else every byte is shown as grey */
    bool blue_first; /* in a texel; else red is */
};

/* Sends pictures of what was expected, what is there and the difference, of a part around the first byte that differs where the
 * whole is too large; nothing when no byte differs, or when the case has sent pictures. Alpha is shown as if it were
 * opaque. */
void agpu_rows_show(struct agpu_test *test, const struct agpu_rows_picture *picture);

#endif
