/* test_image.c: images that differ: their records, and the PNG files sent as artifacts, which libpng decodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "tests/cases/harness/artifact.h"
#include "tests/cases/harness/stream.h"
#include "tests/cases/harness/image.h"
#include "tests/cases/rig/rows_picture.h"
#include "tests/unit/test.h"

static uint32_t texels[AGPU_IMAGE_TEXELS], other[AGPU_IMAGE_TEXELS], decoded[AGPU_IMAGE_TEXELS];
static char records[300000];
static size_t record_length, longest;

static void collect(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    assert_true(record_length + length < sizeof records);
    memcpy(records + record_length, packet, length);
    record_length += length;
    records[record_length] = '\0';
    longest = length > longest ? length : longest;
}

static uint64_t no_time(void *ctx)
{
    (void)ctx;
    return 0;
}

static const struct agpu_case a_case = {.id = "render.some.case"};
static struct agpu_stream stream;
static struct agpu_test test;

static int open_test(void **state)
{
    const struct agpu_sink sink = {.name = "test", .packet = collect};

    (void)state;
    record_length = longest = 0;
    records[0] = '\0';
    agpu_stream_init(&stream, no_time, NULL, 0);
    agpu_stream_add_sink(&stream, &sink);
    test = (struct agpu_test){.test_case = &a_case, .stream = &stream};
    for (uint32_t i = 0; i < AGPU_IMAGE_TEXELS; i++) {
        other[i] = texels[i] = i * 2654435761u;
    }
    return 0;
}

/* Reads a PNG file into decoded. */
static void decode(const void *file, size_t size, uint32_t width, uint32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};

    assert_true(png_image_begin_read_from_memory(&image, file, size));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format & ~(uint32_t)PNG_FORMAT_FLAG_LINEAR, PNG_FORMAT_RGBA);
    image.format = PNG_FORMAT_RGBA;
    assert_true(png_image_finish_read(&image, NULL, decoded, 0, NULL));
    assert_int_equal(image.warning_or_error, 0);
}

FIXTURE(open_test, NULL);

TEST(png_is_read_back)
{
    static const uint32_t edges[][2] = {{1, 1}, {16, 16}, {64, 64}, {3, 64}, {64, 1}};
    static uint8_t file[AGPU_PNG_BYTES_MAX];

    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        size_t size = agpu_png_write(file, texels, edges[i][0], edges[i][1]);

        assert_in_range(size, 1, sizeof file);
        decode(file, size, edges[i][0], edges[i][1]);
        assert_memory_equal(decoded, texels, edges[i][0] * edges[i][1] * 4);
    }
    assert_int_equal(agpu_png_write(file, texels, 0, 4), 0);
    assert_int_equal(agpu_png_write(file, texels, 4, 65), 0);
}

static size_t decode_base64(const char *text, size_t length, uint8_t *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;

    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        uint32_t bits = 0, bytes = 3;

        for (size_t k = 0; k < 4; k++) {
            const char *digit = strchr(digits, text[i + k]);

            bits <<= 6;
            if (digit != NULL) {
                bits |= (uint32_t)(digit - digits);
            } else {
                bytes--;
            }
        }
        for (uint32_t k = 0; k < bytes; k++) {
            out[size++] = (uint8_t)(bits >> (16 - 8 * k));
        }
    }
    return size;
}

/* Puts the pieces of one artifact together and reads it. */
static void decode_artifact(const char *name, uint32_t width, uint32_t height)
{
    static uint8_t file[AGPU_PNG_BYTES_MAX];
    char start[80];
    size_t whole = 0, received = 0;

    snprintf(start, sizeof start, "artifact render.some.case name=%s size=", name);
    for (const char *at = records; (at = strstr(at, start)) != NULL; at++) {
        const char *data = strstr(at, " data=");
        size_t offset = strtoul(strstr(at, " offset=") + 8, NULL, 10);

        whole = strtoul(at + strlen(start), NULL, 10);
        assert_int_equal(offset, received);
        assert_true(whole <= sizeof file);
        received += decode_base64(data + 6, strcspn(data + 6, " \n"), file + offset);
    }
    assert_int_equal(received, whole);
    assert_true(whole > 0);
    decode(file, whole, width, height);
}

TEST(equal_images_report_nothing)
{
    other[5] = texels[5] ^ 1;
    assert_true(agpu_check_image_texels(&test, texels, texels, 64, 64, 0, AGPU_HERE));
    assert_true(agpu_check_image_texels(&test, texels, other, 64, 64, 1, AGPU_HERE));
    assert_int_equal(test.result, AGPU_PASS);
    assert_int_equal(record_length, 0);
}

TEST(difference_travels)
{
    other[64 * 2 + 7] = texels[64 * 2 + 7] ^ 0x00000010;
    assert_false(agpu_check_image_texels(&test, texels, other, 64, 64, 15, AGPU_HERE));
    assert_int_equal(test.result, AGPU_FAIL);
    assert_non_null(strstr(records, "texel 7,2 as ABGR; 1 of 4096 texels differ by more than 15"));
    assert_true(longest <= AGPU_STREAM_PACKET_MAX); /* each piece is one packet on the network */
    decode_artifact("actual.png", 64, 64);
    assert_memory_equal(decoded, texels, sizeof decoded);
    decode_artifact("expected.png", 64, 64);
    assert_memory_equal(decoded, other, sizeof decoded);
    decode_artifact("difference.png", 64, 64);
    for (uint32_t i = 0; i < AGPU_IMAGE_TEXELS; i++) {
        assert_int_equal(decoded[i], i == 64 * 2 + 7 ? 0xFF000040u : 0xFF000000u);
    }
}

TEST(only_the_first_images_are_sent)
{
    size_t before;

    other[0] = ~texels[0];
    agpu_check_image_texels(&test, texels, other, 64, 64, 0, AGPU_HERE);
    before = record_length;
    for (uint32_t i = 0; i < 100; i++) {
        agpu_check_image_texels(&test, texels, other, 64, 64, 0, AGPU_HERE);
    }
    assert_null(strstr(records + before, "artifact "));
}

TEST(artifacts_are_bounded)
{
    static uint8_t bytes[AGPU_ARTIFACT_CASE_MAX + 1];

    assert_false(agpu_artifact_send(&test, "large", bytes, sizeof bytes));
    assert_int_equal(record_length, 0);
    assert_true(agpu_artifact_send(&test, "fits", bytes, sizeof bytes - 1));
    assert_false(agpu_artifact_send(&test, "more", bytes, 1));
}

TEST(image_too_large)
{
    assert_false(agpu_check_image_texels(&test, texels, other, 65, 1, 0, AGPU_HERE));
    assert_int_equal(test.result, AGPU_ERROR);
}

/* Rows of a mapped subresource: the part around the first difference is attached, once per case. */
TEST(rows_are_shown)
{
    static uint8_t actual[40 * 272], expected[40 * 256];
    const struct agpu_rows_picture picture = {.rows = {.actual = actual,
                                                       .actual_pitch = 272,
                                                       .expected = expected,
                                                       .expected_pitch = 256,
                                                       .row_bytes = 256,
                                                       .rows = 40},
                                              .colour = true,
                                              .blue_first = true};
    size_t sent;

    memset(expected, 0x10, sizeof expected);
    memset(actual, 0x10, sizeof actual);
    actual[256] ^= 1; /* pitch padding: not part of the image */
    agpu_rows_show(&test, &picture);
    assert_int_equal(record_length, 0);
    actual[35 * 272 + 240] = 0x30;
    agpu_rows_show(&test, &picture);
    assert_non_null(strstr(records, "name=actual.png"));
    assert_non_null(strstr(records, "name=expected.png"));
    assert_non_null(strstr(records, "name=difference.png"));
    sent = record_length;
    agpu_rows_show(&test, &picture);
    assert_int_equal(record_length, sent);
}
