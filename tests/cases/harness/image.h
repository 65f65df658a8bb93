/* image.h: compares a drawn image with the expected one, texel by texel. If they differ it sends both and their
 * difference to the host as PNG files. */
#ifndef AGPU_CASES_HARNESS_IMAGE_H
#define AGPU_CASES_HARNESS_IMAGE_H

#include "tests/cases/harness/check.h"
#include "tests/cases/harness/png.h"

#define AGPU_IMAGE_TEXELS (AGPU_PNG_EDGE_MAX * AGPU_PNG_EDGE_MAX)

/* A texel as these cases store it, whatever its format was: red in the low byte. */
#define AGPU_RGBA(r, g, b, a) ((uint32_t)(r) | (uint32_t)(g) << 8 | (uint32_t)(b) << 16 | (uint32_t)(a) << 24)
#define AGPU_NOTHING          AGPU_RGBA(0, 0, 0, 0)
#define AGPU_WHITE            AGPU_RGBA(255, 255, 255, 255)
#define AGPU_RED              AGPU_RGBA(255, 0, 0, 255)
#define AGPU_GREEN            AGPU_RGBA(0, 255, 0, 255)
#define AGPU_BLUE             AGPU_RGBA(0, 0, 255, 255)

/* The expected texel at x from the left and y from the top. */
typedef uint32_t agpu_expected(uint32_t x, uint32_t y);

/* Compares images of width x height texels, at most AGPU_PNG_EDGE_MAX each way; every channel may differ by
 * tolerance. A failed check names the first texel that differs, and sends the actual, expected and difference image. */
bool agpu_check_image_texels(struct agpu_test *test, const uint32_t *actual, const uint32_t *expected,
                             uint32_t width, uint32_t height, uint32_t tolerance, struct agpu_where where);

/* Sends both images and their difference as pictures, unless the case has sent files already: only the first wrong
 * image of a case is sent, because the file names are the same. */
void agpu_image_show(struct agpu_test *test, const uint32_t *actual, const uint32_t *expected, uint32_t width,
                     uint32_t height);

/* Further facts about the texels, to explain a wrong one; either may be NULL. If a wrong texel has the colour expected
 * at another place, the report names that place, with or without hints. */
struct agpu_image_hints {
    const uint32_t *before;                      /* the image before the last change */
    const char *(*part)(uint32_t x, uint32_t y); /* what the case expects there; may be NULL */
};
bool agpu_check_image_hinted(struct agpu_test *test, const uint32_t *actual, const uint32_t *expected,
                             uint32_t width, uint32_t height, uint32_t tolerance,
                             const struct agpu_image_hints *hints, struct agpu_where where);

#endif
