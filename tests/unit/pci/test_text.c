/* test_text.c: the line builder (pci/machine/text.h). agpu_format() is compared with the C library's snprintf(). */
#include <stdio.h>
#include <string.h>

#include "pci/machine/text.h"
#include "tests/unit/test.h"

#define LINE_MAX 160

/* Writes one line with both formatters. Expects the same text, and truncated for a line that is too long. */
#define CHECK_SAME(capacity, ...)                                                                            \
    do {                                                                                                     \
        char expected[LINE_MAX] = "", found[LINE_MAX] = "";                                                  \
        struct agpu_text text;                                                                               \
        const int length = snprintf(expected, capacity, __VA_ARGS__);                                        \
                                                                                                             \
        agpu_text_begin(&text, found, capacity);                                                             \
        agpu_format(&text, __VA_ARGS__);                                                                     \
        assert_string_equal(found, expected);                                                                \
        assert_int_equal(text.truncated, (size_t)length >= (capacity));                                      \
        assert_int_equal(text.length, strlen(expected));                                                     \
    } while (0)

/* Runs body with every power of two, its neighbours, their negatives, and a mix of bits made of each. */
static void with_values(void (*body)(uint64_t value))
{
    body(0);
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int64_t near = -1; near <= 1; near++) {
            const uint64_t value = (UINT64_C(1) << bit) + (uint64_t)near;

            body(value);
            body(0 - value);
            body(value * UINT64_C(0x9E3779B97F4A7C15));
        }
    }
}

static void check_numbers(uint64_t value)
{
    const unsigned low = (unsigned)value;

    CHECK_SAME(LINE_MAX, "%d %u %x %X", (int)low, low, low, low);
    CHECK_SAME(LINE_MAX, "%jd|%ju|%jx|%jX", (int64_t)value, value, value, value);
    CHECK_SAME(LINE_MAX, "%zd-%zu-%zx-%zX", (ptrdiff_t)value, (size_t)value, (size_t)value, (size_t)value);
    CHECK_SAME(LINE_MAX, "%1d,%7u,%12x,%20d", (int)low, low, low, (int)low);
    CHECK_SAME(LINE_MAX, "%02X:%04x:%08X:%012u:%012d", low, low, low, low, (int)low);
    CHECK_SAME(LINE_MAX, "0x%016jx %020ju %021jd %3jd", value, value, (int64_t)value, (int64_t)value);
}

TEST(formats_numbers)
{
    with_values(check_numbers);
}

TEST(formats_texts)
{
    const char *volatile none = NULL;

    CHECK_SAME(LINE_MAX, "%s", "");
    CHECK_SAME(LINE_MAX, "a %s of %s%s", "line", "text", "!");
    CHECK_SAME(LINE_MAX, "%c%c%c 100 %%", 'x', '\n', '\xFE');
    for (int c = 1; c < 256; c++) {
        CHECK_SAME(LINE_MAX, "%c", (char)c);
    }
    CHECK_SAME(LINE_MAX, "%s", none);
}

static void check_cuts(uint64_t value)
{
    for (size_t capacity = 1; capacity < 48; capacity++) {
        CHECK_SAME(capacity, "%s 0x%jx%c%05u", "head and tail", value, ',', (unsigned)value);
    }
}

TEST(cuts_where_a_line_ends)
{
    char buffer[8] = "XXXXXXX";
    struct agpu_text text;

    with_values(check_cuts);
    agpu_text_begin(&text, buffer, 5);
    agpu_format(&text, "ab%s", "cdefgh");
    assert_string_equal(buffer, "abcd");
    assert_true(text.truncated);
    assert_memory_equal(buffer + 5, "XX", 2);
    agpu_text_begin(&text, NULL, 0);
    agpu_format(&text, "%u", 1);
    assert_true(text.truncated);
}

TEST(continues_a_line)
{
    char buffer[32];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "%u", 1);
    agpu_text_string(&text, ", ");
    agpu_format(&text, "two");
    agpu_text_char(&text, '.');
    assert_string_equal(buffer, "1, two.");
    assert_false(text.truncated);
    agpu_format_line(buffer, sizeof buffer, "%s %d", "anew", -3);
    assert_string_equal(buffer, "anew -3");
    agpu_format_line(buffer, 3, "%s", "anew");
    assert_string_equal(buffer, "an");
}

/* A line that does not fit ends after a word, and with a mark; a line that just fits has none. */
TEST(marks_a_cut_line)
{
    char buffer[24];

    agpu_format_line(buffer, sizeof buffer, "%s", "never written; the rest is 0");
    assert_string_equal(buffer, "never written; [cut]");
    agpu_format_line(buffer, sizeof buffer, "%s", "never written; the rest");
    assert_string_equal(buffer, "never written; the rest");
    agpu_format_line(buffer, sizeof buffer, "%s", "umd_resource_with_a_long_name");
    assert_string_equal(buffer, "umd_resource_with [cut]");
}

/* The compiler accepts more conversions than agpu_format() has. agpu_format() appends the text of the others, so that
 * no argument is misread. */
TEST(shows_unknown_conversions)
{
    static const char *const formats[] = {"%u %ld %u", "%u %-3u %u", "%u %f",  "%u %.3s %u",
                                          "%u %p %u",  "%u %",       "%u %08", "%u %j"};
    char buffer[32], expected[32];
    struct agpu_text text;

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        snprintf(expected, sizeof expected, "7%s", formats[i] + 2);
        agpu_text_begin(&text, buffer, sizeof buffer);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
        agpu_format(&text, formats[i], 7u, 8u);
#pragma GCC diagnostic pop
        assert_string_equal(buffer, expected);
    }
}
