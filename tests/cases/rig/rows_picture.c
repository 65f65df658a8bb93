/* rows_picture.c: sends pictures of rows of texels that differ (rows_picture.h). */
#include "tests/cases/rig/rows_picture.h"

#include "tests/cases/harness/image.h"

/* Edge of the largest picture: each failed case sends three, over a serial port too. */
#define SHOWN_EDGE 32u

/* Returns the first byte that differs by more than the tolerance, counted row by row without gaps; the number of all
 * bytes if none does. */
static size_t first_wrong_byte(const struct agpu_rows *rows)
{
    for (size_t row = 0; row < rows->rows; row++) {
        const uint8_t *a = rows->actual + row * rows->actual_pitch;
        const uint8_t *e = rows->expected + row * rows->expected_pitch;

        for (size_t i = 0; i < rows->row_bytes; i++) {
            if ((a[i] > e[i] ? a[i] - e[i] : e[i] - a[i]) > (int)rows->tolerance) {
                return row * rows->row_bytes + i;
            }
        }
    }
    return rows->rows * rows->row_bytes;
}

/* Returns the texel at bytes, opaque, red in the low byte. */
static uint32_t shown_texel(const struct agpu_rows_picture *picture, const uint8_t *bytes)
{
    if (!picture->colour) {
        return AGPU_RGBA(bytes[0], bytes[0], bytes[0], 255);
    }
    return picture->blue_first ? AGPU_RGBA(bytes[2], bytes[1], bytes[0], 255)
                               : AGPU_RGBA(bytes[0], bytes[1], bytes[2], 255);
}

/* Returns the start of a part of SHOWN_EDGE that contains at, in the middle if possible. */
static size_t part_begin(size_t at, size_t edge)
{
    const size_t begin = at > SHOWN_EDGE / 2 ? at - SHOWN_EDGE / 2 : 0;

    return edge <= SHOWN_EDGE ? 0 : begin < edge - SHOWN_EDGE ? begin : edge - SHOWN_EDGE;
}

void agpu_rows_show(struct agpu_test *test, const struct agpu_rows_picture *picture)
{
    /* One case runs at a time. */
    static uint32_t actual[SHOWN_EDGE * SHOWN_EDGE], expected[SHOWN_EDGE * SHOWN_EDGE];
    const struct agpu_rows *const rows = &picture->rows;
    const size_t step = picture->colour ? 4 : 1, width = rows->row_bytes / step;
    const size_t first = first_wrong_byte(rows);

    if (width == 0 || first == rows->rows * rows->row_bytes) {
        return;
    }
    const size_t shown_width = width < SHOWN_EDGE ? width : SHOWN_EDGE;
    const size_t shown_rows = rows->rows < SHOWN_EDGE ? rows->rows : SHOWN_EDGE;
    const size_t left = part_begin(first % rows->row_bytes / step, width);
    const size_t top = part_begin(first / rows->row_bytes, rows->rows);

    for (size_t y = 0; y < shown_rows; y++) {
        const uint8_t *a = rows->actual + (top + y) * rows->actual_pitch + left * step;
        const uint8_t *e = rows->expected + (top + y) * rows->expected_pitch + left * step;

        for (size_t x = 0; x < shown_width; x++) {
            actual[y * shown_width + x] = shown_texel(picture, a + x * step);
            expected[y * shown_width + x] = shown_texel(picture, e + x * step);
        }
    }
    agpu_image_show(test, actual, expected, (uint32_t)shown_width, (uint32_t)shown_rows);
}
