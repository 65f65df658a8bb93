/* test_mismatch.c: mismatch reports for bytes and numbers: each kind of defect has its own sentence. */
#include <stdio.h>
#include <string.h>

#include "tests/cases/harness/mismatch.h"
#include "tests/cases/harness/rows.h"
#include "tests/unit/test.h"

#define SIZE  256u
#define PITCH 32u

static uint8_t actual[SIZE], expected[SIZE], before[SIZE];
static struct agpu_region region;
static char said[400];

/* No byte repeats within a row, and no row is like another. */
static void begin(void)
{
    for (unsigned i = 0; i < SIZE; i++) {
        expected[i] = (uint8_t)(i * 37 + i / PITCH * 11 + 1);
        before[i] = (uint8_t)(i * 91 + 77);
    }
    memcpy(actual, expected, SIZE);
    region = (struct agpu_region){.actual = actual, .expected = expected, .size = SIZE};
}

static void expect(const char *sentence)
{
    struct agpu_text text;

    agpu_text_begin(&text, said, sizeof said);
    agpu_mismatch_bytes(&text, &region);
    assert_string_equal(said, sentence);
}

TEST(extents)
{
    begin();
    expect("");
    memcpy(actual + SIZE - 4, before + SIZE - 4, 4);
    region.before = before;
    expect("the last 4 of 256 bytes are as before");
    region.before = NULL;
    memset(actual + SIZE - 4, 0, 4);
    expect("the last 4 of 256 bytes are zero");
    memset(actual + SIZE - 4, 0xCD, 4);
    expect("the last 4 of 256 bytes are all 0xcd: never written");
    begin();
    memset(actual, 0x11, 8);
    expect("the first 8 of 256 bytes are all 0x11");
    begin();
    memset(actual + 64, 0, 16);
    expect("bytes 64 to 79 of 256 are zero");
    begin();
    memset(actual, 0, SIZE);
    expect("all 256 bytes are zero");
    begin();
    actual[5] ^= 0x10;
    expect("byte 5 alone has bit 4 wrong");
    begin();
    memset(actual + 10, 0, 2);
    memset(actual + 100, 0, 2);
    expect("4 bytes in 2 places from 10 to 101, every 90, are zero");
}

TEST(rows)
{
    begin();
    region.pitch = PITCH;
    memset(actual + 3 * PITCH, 0, 2 * PITCH);
    expect("rows 3 to 4 of 8 are zero");
    begin();
    region.pitch = PITCH;
    for (unsigned row = 1; row < 8; row += 2) {
        memset(actual + row * PITCH, 0, PITCH);
    }
    expect("every second row from 1 are zero");
    begin();
    region.pitch = PITCH;
    memcpy(actual + 4 * PITCH, expected + 3 * PITCH, 4 * PITCH);
    expect("rows 4 to 7 of 8 show what belongs 1 row before");
    begin();
    region.pitch = PITCH;
    for (unsigned row = 0; row < 8; row++) {
        memcpy(actual + row * PITCH, expected + (7 - row) * PITCH, PITCH);
    }
    expect("all 256 bytes stand upside down");
}

TEST(orders)
{
    begin();
    memmove(actual + 2, expected, SIZE - 2);
    expect("all 256 bytes show what belongs 2 bytes before");
    begin();
    memcpy(actual + 16, expected + 20, 32);
    expect("bytes 16 to 47 of 256 show what belongs 4 bytes further on");
    begin();
    for (unsigned i = 0; i < SIZE; i += 4) {
        actual[i] = expected[i + 2];
        actual[i + 2] = expected[i];
    }
    expect("128 bytes in 128 places from 0 to 254, every 2, have red and blue exchanged");
    begin();
    for (unsigned i = 0; i < SIZE; i += 2) {
        actual[i] = expected[i + 1];
        actual[i + 1] = expected[i];
    }
    expect("all 256 bytes have the bytes of each 2 in reverse order");
    begin();
    region.unit = 4;
    for (unsigned i = 3; i < SIZE; i += 4) {
        actual[i] = 0;
    }
    expect("byte 3 of each 4 are zero");
    begin();
    for (unsigned i = 0; i < SIZE; i++) {
        actual[i] = expected[i] < 255 ? (uint8_t)(expected[i] + 1) : 254;
    }
    expect("all 256 bytes are off by one or two");
}

TEST(maps)
{
    static uint8_t big[2][40960];
    struct agpu_text text;

    begin();
    region.pitch = PITCH;
    memset(actual + 3 * PITCH, 0, PITCH);
    actual[5 * PITCH] ^= 1;
    agpu_text_begin(&text, said, sizeof said);
    agpu_mismatch_map(&text, &region);
    assert_string_equal(said, "[...#.+..] each a row");
    region.pitch = 0;
    agpu_text_begin(&text, said, sizeof said);
    agpu_mismatch_map(&text, &region);
    assert_int_equal(strchr(said, ']') - said, 65);
    assert_non_null(strstr(said, "] each 4 bytes"));
    memset(big[0] + 8192, 1, 4096);
    region = (struct agpu_region){.actual = big[0], .expected = big[1], .size = sizeof big[0]};
    agpu_text_begin(&text, said, sizeof said);
    agpu_mismatch_map(&text, &region);
    assert_non_null(strstr(said, "each 1024 bytes"));
    assert_int_equal(strspn(said + 1, "."), 8);
    assert_int_equal(strspn(said + 9, "#"), 4);
}

TEST(rows_of_two_pitches)
{
    struct agpu_rows two = {.actual = actual,
                            .actual_pitch = PITCH,
                            .expected = before,
                            .expected_pitch = 24,
                            .row_bytes = 24,
                            .rows = 8,
                            .unit = 4};
    struct agpu_text text;

    begin();
    for (unsigned row = 0; row < 8; row++) {
        memcpy(actual + row * PITCH, before + row * 24, 24);
        memset(actual + row * PITCH + 24, 0xEE, 8); /* padding between rows is not compared */
    }
    agpu_text_begin(&text, said, sizeof said);
    agpu_mismatch_rows(&text, &two);
    assert_string_equal(said, "");
    memset(actual + 6 * PITCH, 0, 24);
    memset(actual + 7 * PITCH, 0, 24);
    agpu_mismatch_rows(&text, &two);
    assert_string_equal(said, "rows 6 to 7 of 8 are zero");
    two.tolerance = 255;
    agpu_text_begin(&text, said, sizeof said);
    agpu_mismatch_rows(&text, &two);
    assert_string_equal(said, "");
}

TEST(numbers)
{
    static const struct {
        uint64_t actual, expected;
        bool hex;
        const char *says;
    } list[] = {
        {3, 4, false, "one too few"},
        {5, 4, false, "one too many"},
        {0, 4, false, "it is 0"},
        {1, 0, true, "bit 0 is set, and is not to be"},
        {1, 2, true, ""},
        {0x100000002, 0x100000003, true, "one too few"},
        {0, 0x1234, true, "it is 0"},
        {0xB7B7B7B7, 0x1000, true, "never written"},
        {0x88760870, 0, true, "D3DDDIERR_DEVICEREMOVED: the driver gave the device up"},
        {UINT32_MAX, 0x1234, true, "all ones: nothing answers there"},
        {UINT64_MAX, 0x1234, true, "all ones: nothing answers there"},
        {0x55667788, UINT64_C(0x1122334455667788), true, "the high half is lost"},
        {UINT64_C(0x1122334400000000), UINT64_C(0x1122334455667788), true, "the low half is lost"},
        {UINT64_C(0x5566778811223344), UINT64_C(0x1122334455667788), true, "the halves are exchanged"},
        {UINT64_C(0xFFFFFFFF90ABC000), UINT64_C(0x1234567890ABC000), true,
         "the high half is all ones: the low one was extended by its sign"},
        {UINT64_C(0xA5A5A5A5D6D00012), UINT64_C(0x000000A3D6D00012), true, "the high half is another one"},
        {0x78563412, 0x12345678, true, "its bytes are in reverse order"},
        {0x80000001, 1, true, "bit 31 is set, and is not to be"},
        {0x6, 0x406, true, "bit 10 is clear, and is to be set"},
        {0xF1, 0x81, true, "bits 0x70 are set beside those that are to be"},
        {0x81, 0xF1, true, "bits 0x70 are missing"},
        {123, 456, false, ""},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct agpu_text text;

        agpu_text_begin(&text, said, sizeof said);
        agpu_mismatch_number(&text, list[i].actual, list[i].expected, list[i].hex);
        if (strcmp(said, list[i].says) != 0) {
            fail_msg("%#llx for %#llx: \"%s\", expected \"%s\"", (unsigned long long)list[i].actual,
                     (unsigned long long)list[i].expected, said, list[i].says);
        }
    }
}
