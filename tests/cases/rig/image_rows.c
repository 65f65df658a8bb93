/* image_rows.c: images that are compared row by row (image_rows.h). */
#include "tests/cases/rig/image_rows.h"

#include "pci/machine/text.h"
#include "tests/cases/harness/image.h"

/* Edge of the largest picture: three of them are sent for each failed case, over a serial port as well. */
#define SHOWN_EDGE 32u

static bool byte_is_wrong(const struct agpu_image_rows *image, uint32_t row, uint32_t byte)
{
    const uint8_t a = image->actual[row * image->actual_pitch + byte];
    const uint8_t e = image->expected[(size_t)row * image->row_bytes + byte];

    return (uint32_t)(a > e ? a - e : e - a) > image->tolerance && !(image->ignore_x && byte % 4 == 3);
}

struct agpu_row_place agpu_rows_first_wrong(const struct agpu_image_rows *image)
{
    for (uint32_t row = 0; row < image->rows; row++) {
        for (uint32_t byte = 0; byte < image->row_bytes; byte++) {
            if (byte_is_wrong(image, row, byte)) {
                return (struct agpu_row_place){row, byte};
            }
        }
    }
    return (struct agpu_row_place){image->rows, 0};
}

static void rows_part(struct agpu_text *text, uint64_t part, uint64_t all, const char *of)
{
    agpu_text_u64(text, part);
    agpu_text_string(text, " of ");
    agpu_text_u64(text, all);
    agpu_text_string(text, of);
}

void agpu_rows_describe(struct agpu_text *text, const struct agpu_image_rows *image)
{
    uint64_t wrong_rows = 0, wrong_bytes = 0;

    for (uint32_t row = 0; row < image->rows; row++) {
        const uint64_t before = wrong_bytes;

        for (uint32_t byte = 0; byte < image->row_bytes; byte++) {
            wrong_bytes += byte_is_wrong(image, row, byte);
        }
        wrong_rows += wrong_bytes != before;
    }
    agpu_text_string(text, "; ");
    rows_part(text, wrong_rows, image->rows, " rows, ");
    rows_part(text, wrong_bytes, (uint64_t)image->rows * image->row_bytes, " bytes differ");
}

/* The texel at bytes, opaque, red in the low byte. */
static uint32_t shown_texel(const struct agpu_image_rows *image, const uint8_t *bytes)
{
    if (image->texel_bytes != 4) {
        return AGPU_RGBA(bytes[0], bytes[0], bytes[0], 255);
    }
    return image->swapped ? AGPU_RGBA(bytes[2], bytes[1], bytes[0], 255)
                          : AGPU_RGBA(bytes[0], bytes[1], bytes[2], 255);
}

/* Where a part of SHOWN_EDGE begins that has at in it, as far in front as the whole allows. */
static uint32_t part_begin(uint32_t at, uint32_t edge)
{
    const uint32_t begin = at > SHOWN_EDGE / 2 ? at - SHOWN_EDGE / 2 : 0;

    return edge <= SHOWN_EDGE ? 0 : begin < edge - SHOWN_EDGE ? begin : edge - SHOWN_EDGE;
}

void agpu_rows_show(struct agpu_test *test, const struct agpu_image_rows *image)
{
    /* One case runs at a time. */
    static uint32_t actual[SHOWN_EDGE * SHOWN_EDGE], expected[SHOWN_EDGE * SHOWN_EDGE];
    const uint32_t step = image->texel_bytes == 4 ? 4 : 1;
    const uint32_t width = image->row_bytes / step;
    const struct agpu_row_place first = agpu_rows_first_wrong(image);
    const uint32_t shown_width = width < SHOWN_EDGE ? width : SHOWN_EDGE;
    const uint32_t shown_rows = image->rows < SHOWN_EDGE ? image->rows : SHOWN_EDGE;
    const uint32_t left = part_begin(first.byte / step, width), top = part_begin(first.row, image->rows);

    if (first.row == image->rows || width == 0) {
        return;
    }
    for (uint32_t y = 0; y < shown_rows; y++) {
        const uint8_t *a = image->actual + (top + y) * image->actual_pitch + (size_t)left * step;
        const uint8_t *e = image->expected + (size_t)(top + y) * image->row_bytes + (size_t)left * step;

        for (uint32_t x = 0; x < shown_width; x++) {
            actual[y * shown_width + x] = shown_texel(image, a + (size_t)x * step);
            expected[y * shown_width + x] = shown_texel(image, e + (size_t)x * step);
        }
    }
    agpu_image_show(test, actual, expected, shown_width, shown_rows);
}
