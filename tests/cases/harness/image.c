/* image.c: compares images, and sends pictures of them to the host. */
#include "tests/cases/harness/image.h"

#include "pci/machine/text.h"
#include "tests/cases/harness/artifact.h"
#include "tests/cases/harness/mismatch.h"

/* One case runs at a time. */
static uint32_t difference[AGPU_IMAGE_TEXELS];
static uint8_t file[AGPU_PNG_BYTES_MAX];

static uint32_t image_channel(uint32_t texel, uint32_t shift)
{
    return texel >> shift & 255;
}

static uint32_t image_distance(uint32_t a, uint32_t b, uint32_t shift)
{
    uint32_t x = image_channel(a, shift), y = image_channel(b, shift);

    return x > y ? x - y : y - x;
}

static bool image_near(uint32_t a, uint32_t b, uint32_t tolerance)
{
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        if (image_distance(a, b, shift) > tolerance) {
            return false;
        }
    }
    return true;
}

/* Black if both are equal; otherwise clearly visible: no channel that differs is darker than 64, and a difference in
 * alpha lightens all channels. */
static uint32_t image_shown(uint32_t a, uint32_t b)
{
    uint32_t texel = 0xFF000000u;
    uint32_t alpha = image_distance(a, b, 24) / 2;

    for (uint32_t shift = 0; shift < 24; shift += 8) {
        uint32_t d = image_distance(a, b, shift);

        d = d > alpha ? d : alpha;
        texel |= (d != 0 && d < 64 ? 64 : d) << shift;
    }
    return texel;
}

static void image_send(struct agpu_test *test, const char *name, const uint32_t *texels, uint32_t width,
                       uint32_t height)
{
    size_t size = agpu_png_write(file, texels, width, height);

    if (size != 0) {
        agpu_artifact_send(test, name, file, size);
    }
}

void agpu_image_show(struct agpu_test *test, const uint32_t *actual, const uint32_t *expected, uint32_t width,
                     uint32_t height)
{
    if (test->artifact_bytes != 0 || width > AGPU_PNG_EDGE_MAX || height > AGPU_PNG_EDGE_MAX) {
        return;
    }
    for (uint32_t i = 0; i < width * height; i++) {
        difference[i] = image_shown(actual[i], expected[i]);
    }
    image_send(test, "actual.png", actual, width, height);
    image_send(test, "expected.png", expected, width, height);
    image_send(test, "difference.png", difference, width, height);
}

static void image_describe(struct agpu_text *text, uint32_t x, uint32_t y, uint32_t different, uint32_t count,
                           uint32_t tolerance)
{
    agpu_format(text, "texel %u,%u as ABGR; %u of %u texels differ by more than %u", x, y, different, count,
                tolerance);
}

static uint32_t image_apart(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Returns the nearest place whose expected texel is this one; count if there is none. */
static uint32_t nearest_like(const uint32_t *expected, uint32_t texel, uint32_t at, uint32_t width,
                             uint32_t count)
{
    uint32_t nearest = count, least = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t far = image_apart(i % width, at % width) + image_apart(i / width, at / width);

        if (expected[i] == texel && far < least) {
            nearest = i;
            least = far;
        }
    }
    return nearest;
}

/* Describes what is wrong with the whole image; texels within the tolerance count as equal. */
static void mismatch_image(struct agpu_text *text, const uint32_t *actual, const uint32_t *expected,
                           uint32_t width, uint32_t count, uint32_t tolerance,
                           const struct agpu_image_hints *hints)
{
    const struct agpu_region region = {
        .actual = (const uint8_t *)difference,
        .expected = (const uint8_t *)expected,
        .size = count * sizeof actual[0],
        .before = hints != NULL ? (const uint8_t *)hints->before : NULL,
        .pitch = width * sizeof actual[0],
        .unit = sizeof actual[0],
    };

    for (uint32_t i = 0; i < count; i++) {
        difference[i] = image_near(actual[i], expected[i], tolerance) ? expected[i] : actual[i];
    }
    agpu_text_string(text, "; ");
    agpu_mismatch_bytes(text, &region);
}

static void describe_origin(struct agpu_text *text, const uint32_t *expected, uint32_t texel, uint32_t at,
                            uint32_t width, uint32_t count, const struct agpu_image_hints *hints)
{
    uint32_t nearest = nearest_like(expected, texel, at, width, count);
    const char *part = hints != NULL && hints->part != NULL ? hints->part(at % width, at / width) : NULL;

    if (part != NULL) {
        agpu_format(text, "; is to show %s", part);
    }
    if (hints != NULL && hints->before != NULL && hints->before[at] == texel) {
        agpu_text_string(text, "; it is as before");
    }
    if (nearest < count) {
        agpu_format(text, "; %u,%u should be so", nearest % width, nearest / width);
    }
}

/* Describes one wrong texel. As ABGR all ones is white in these images, and zero is the untouched background. */
static const char *mismatch_texel(uint32_t actual, uint32_t expected)
{
    const uint32_t exchanged = (actual & 0xFF00FF00) | (actual & 0xFF) << 16 | (actual >> 16 & 0xFF);

    if (exchanged == expected && actual != expected) {
        return "red and blue are exchanged";
    }
    if (((actual ^ expected) & 0xFFFFFF) == 0) {
        return "alpha alone differs";
    }
    return actual == 0            ? "nothing is there"
           : actual == UINT32_MAX ? "white is there"
                                  : "another colour is there";
}

bool agpu_check_image_texels(struct agpu_test *test, const uint32_t *actual, const uint32_t *expected,
                             uint32_t width, uint32_t height, uint32_t tolerance, struct agpu_where where)
{
    return agpu_check_image_hinted(test, actual, expected, width, height, tolerance, NULL, where);
}

bool agpu_check_image_hinted(struct agpu_test *test, const uint32_t *actual, const uint32_t *expected,
                             uint32_t width, uint32_t height, uint32_t tolerance,
                             const struct agpu_image_hints *hints, struct agpu_where where)
{
    uint32_t count = width * height;
    uint32_t first = count;
    uint32_t different = 0;
    char buffer[400];
    struct agpu_text text;

    if (width > AGPU_PNG_EDGE_MAX || height > AGPU_PNG_EDGE_MAX) {
        agpu_error(test, "the case compares an image larger than image.h allows");
        return false;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (!image_near(actual[i], expected[i], tolerance)) {
            first = i;
            different++;
        }
    }
    if (different == 0) {
        return agpu_check_passed(test);
    }
    agpu_text_begin(&text, buffer, sizeof buffer);
    image_describe(&text, first % width, first / width, different, count, tolerance);
    describe_origin(&text, expected, actual[first], first, width, count, hints);
    mismatch_image(&text, actual, expected, width, count, tolerance, hints);
    agpu_check_u64_noted(test, actual[first], expected[first], buffer, true,
                         mismatch_texel(actual[first], expected[first]), where);
    agpu_image_show(test, actual, expected, width, height);
    return false;
}
