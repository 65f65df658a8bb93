/* rows.h: compares memory that consists of rows as a whole, so that a failed check reports which rows and columns are
 * wrong. */
#ifndef AGPU_CASES_HARNESS_ROWS_H
#define AGPU_CASES_HARNESS_ROWS_H

#include "tests/cases/harness/check.h"

struct agpu_rows {
    const uint8_t *actual;
    size_t actual_pitch;
    const uint8_t *expected;
    size_t expected_pitch;
    size_t row_bytes; /* bytes of each row that are compared */
    size_t rows;
    size_t unit;        /* bytes of a texel or block; 0: unknown */
    uint32_t tolerance; /* permitted difference of a byte */
};

/* Returns true if all rows are equal. what: describes the rows, "mip 1, layer 0 seen by Map(READ)". */
bool agpu_check_rows(struct agpu_test *test, const struct agpu_rows *rows, const char *what,
                     struct agpu_where where);

/* Appends what is wrong with the rows as one clause (agpu_mismatch_bytes); nothing if they are equal. */
void agpu_mismatch_rows(struct agpu_text *text, const struct agpu_rows *rows);

#endif
