/* rows_picture.h: sends pictures of rows of texels that differ. */
#ifndef AGPU_CASES_RIG_ROWS_PICTURE_H
#define AGPU_CASES_RIG_ROWS_PICTURE_H

#include "tests/cases/harness/rows.h"

struct agpu_rows_picture {
    struct agpu_rows rows;
    bool colour;     /* texels of four bytes, one a channel; otherwise every byte is shown as grey */
    bool blue_first; /* in a texel; otherwise red comes first */
};

/* Sends pictures of the expected rows, the actual rows and the difference; if they are too large, only the part
 * around the first byte that differs. Sends nothing if no byte differs, or if the case has sent pictures. Alpha is
 * shown as opaque. */
void agpu_rows_show(struct agpu_test *test, const struct agpu_rows_picture *picture);

#endif
