/* test_words.c: settings in load options and DHCP options, among foreign data. */
#include <string.h>

#include "efi/words.h"
#include "tests/unit/test.h"

static char out[AGPU_WORDS_MAX + 1];

static void lines_are(const char *text, const char *expected)
{
    const size_t size = agpu_words_lines(text, strlen(text), out);

    out[size] = '\0';
    assert_string_equal(out, expected);
}

static void options_are(const char *text, const char *expected)
{
    uint8_t wide[2 * AGPU_WORDS_MAX];
    const size_t length = strlen(text) + 1;

    for (size_t i = 0; i < length; i++) {
        wide[2 * i] = (uint8_t)text[i];
        wide[2 * i + 1] = 0;
    }
    for (size_t without = 0; without <= 2; without += 2) { /* with and without the terminator */
        size_t size;

        assert_true(agpu_words_of_load_options(wide, 2 * length - without, out, &size));
        out[size] = '\0';
        assert_string_equal(out, expected);
    }
}

TEST(words_become_lines)
{
    lines_are("", "");
    lines_are("  \t ", "");
    lines_are("filter=ring.*", "filter=ring.*\n");
    lines_are("  a=1\tb=2  c=3 ", "a=1\nb=2\nc=3\n");
    lines_are("a=\"1 2\" \"b=3 4\"", "a=1 2\nb=3 4\n");
    lines_are("a=\"1 2", "a=1 2\n");         /* the end of the text closes the quotation */
    lines_are("a=\"1\nb=2\"", "a=1\nb=2\n"); /* a line feed in quotes ends the line */
}

TEST(the_program_is_no_setting)
{
    options_are("", "");
    options_are("agpu.efi", "");
    options_are("agpu.efi filter=a b=2", "filter=a\nb=2\n");
    options_are("filter=a b=2", "filter=a\nb=2\n");
    options_are("fs0:\\x=y\\AGPU.EFI b=2", "b=2\n");
    options_are("agpu.efi wrong b=2", "wrong\nb=2\n"); /* the parser of the lines reports this */
}

TEST(what_is_no_text_is_left)
{
    static const uint8_t mark[16] = {0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f, 0x59, 0x4d,
                                     0x85, 0x0e, 0xe2, 0x1a, 0x52, 0x2c, 0x59, 0xb2};
    static uint8_t lengthy[2 * AGPU_WORDS_MAX + 2];

    size_t length = 1;

    assert_false(agpu_words_of_load_options(mark, sizeof mark, out, &length));
    assert_int_equal(length, 0);
    assert_true(agpu_words_of_load_options(mark, 0, out, &length)); /* no load options */
    assert_int_equal(length, 0);
    assert_true(agpu_words_of_load_options("a", 1, out, &length)); /* half a character */
    assert_int_equal(length, 0);
    assert_false(agpu_words_of_load_options("\x01\x00", 2, out, &length));
    for (size_t i = 0; i < sizeof lengthy; i += 2) {
        lengthy[i] = 'a';
    }
    assert_false(agpu_words_of_load_options(lengthy, sizeof lengthy, out, &length));
    lengthy[0] = '='; /* the longest accepted text is complete */
    assert_true(agpu_words_of_load_options(lengthy, sizeof lengthy - 2, out, &length));
    assert_int_equal(length, AGPU_WORDS_MAX + 1);
}

/* Returns whether the option has text; out gets its lines. */
static bool dhcp(const char *options, size_t size)
{
    uint8_t packet[600] = {0};
    size_t length;

    memcpy(packet + 240, options, size);
    const bool good = agpu_words_of_dhcp(packet, 240 + size, out, &length);
    out[length] = '\0';
    return good;
}

TEST(the_option_is_found_whole)
{
    /* Padding, another option, and our option in two pieces with another one in between. */
    static const char pieces[] = "\0\0\x35\x01\x05\xe0\x06log_le\x36\x01x\xe0\x07vel=err\xff\xe0\x03no!";
    static const char terminated[] = "\xe0\x08"
                                     "a=1 b=2\0\xff";
    static const char none[] = "\x35\x01\x05\xff";
    static const char cut[] = "\xe0\x09"
                              "a=1";
    static const char no_text[] = "\xe0\x03"
                                  "a\x01"
                                  "1";
    size_t length;

    assert_true(dhcp(pieces, sizeof pieces - 1));
    assert_string_equal(out, "log_level=err\n");
    assert_true(dhcp(terminated, sizeof terminated - 1));
    assert_string_equal(out, "a=1\nb=2\n");
    assert_true(dhcp(none, sizeof none - 1));
    assert_string_equal(out, "");
    assert_true(dhcp(cut, sizeof cut - 1));
    assert_string_equal(out, "");
    assert_true(dhcp(cut, 1));
    assert_string_equal(out, "");
    assert_false(dhcp(no_text, sizeof no_text - 1));
    assert_string_equal(out, "");
    assert_true(agpu_words_of_dhcp((const uint8_t *)"short", 5, out, &length));
    assert_int_equal(length, 0);
}
