/* rows.c: joins rows of two pitches without the gaps between them, and compares them. */
#include "tests/cases/harness/rows.h"

#include <string.h>

/* Maximum size of one comparison; from larger memory it takes as many rows as fit, starting with the first that
 * differs. */
#define TOGETHER_MAX 65536u
static uint8_t together[2][TOGETHER_MAX];

static bool row_is_near(const struct agpu_rows *rows, size_t row)
{
    const uint8_t *const a = rows->actual + row * rows->actual_pitch;
    const uint8_t *const e = rows->expected + row * rows->expected_pitch;

    if (rows->tolerance == 0) {
        return memcmp(a, e, rows->row_bytes) == 0;
    }
    for (size_t i = 0; i < rows->row_bytes; i++) {
        if ((a[i] > e[i] ? a[i] - e[i] : e[i] - a[i]) > (int)rows->tolerance) {
            return false;
        }
    }
    return true;
}

/* Copies a row of both; bytes within the tolerance count as equal. */
static void put_together(const struct agpu_rows *rows, size_t row, size_t at)
{
    const uint8_t *const a = rows->actual + row * rows->actual_pitch;
    const uint8_t *const e = rows->expected + row * rows->expected_pitch;

    for (size_t i = 0; i < rows->row_bytes; i++) {
        const int apart = a[i] > e[i] ? a[i] - e[i] : e[i] - a[i];

        together[0][at + i] = apart <= (int)rows->tolerance ? e[i] : a[i];
        together[1][at + i] = e[i];
    }
}

/* Joins the rows; false if no row differs. */
static bool gather(const struct agpu_rows *rows, struct agpu_region *region, size_t *first)
{
    size_t row = 0, from, at = 0;

    while (row < rows->rows && row_is_near(rows, row)) {
        row++;
    }
    *first = row;
    if (row == rows->rows || rows->row_bytes > TOGETHER_MAX) {
        return row != rows->rows;
    }
    from = rows->rows * rows->row_bytes <= TOGETHER_MAX ? 0 : row;
    for (row = from; row < rows->rows && at + rows->row_bytes <= TOGETHER_MAX; row++) {
        put_together(rows, row, at);
        at += rows->row_bytes;
    }
    *region = (struct agpu_region){.actual = together[0],
                                   .expected = together[1],
                                   .size = at,
                                   .pitch = rows->row_bytes,
                                   .unit = rows->unit};
    return true;
}

void agpu_mismatch_rows(struct agpu_text *text, const struct agpu_rows *rows)
{
    struct agpu_region region = {0};
    size_t first;

    if (gather(rows, &region, &first)) {
        agpu_mismatch_bytes(text, &region);
    }
}

bool agpu_check_rows(struct agpu_test *test, const struct agpu_rows *rows, const char *what,
                     struct agpu_where where)
{
    struct agpu_region region = {0};
    char buffer[200];
    struct agpu_text text;
    size_t first;

    if (!gather(rows, &region, &first)) {
        return true;
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, what);
    if (rows->rows > 1) {
        agpu_format(&text, ", first in row %zu", first);
    }
    if (region.size == 0) { /* one row is larger than TOGETHER_MAX */
        region = (struct agpu_region){.actual = rows->actual + first * rows->actual_pitch,
                                      .expected = rows->expected + first * rows->expected_pitch,
                                      .size = rows->row_bytes,
                                      .unit = rows->unit};
    }
    return agpu_check_region(test, &region, buffer, where);
}
