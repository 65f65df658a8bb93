/* test_select.c: words that select functions. */
#include <string.h>

#include "pci/select.h"
#include "tests/unit/test.h"

static bool takes(const char *word, const struct agpu_pci_found *found)
{
    struct agpu_selector selector;

    assert_true(agpu_selector_read(word, strlen(word), &selector));
    return agpu_selector_takes(&selector, found);
}

TEST(words_take_what_they_name)
{
    const struct agpu_pci_found first = {
        .vendor = 0xA3A0, .device = 1, .ref.location = {.bus = 0, .device = 4, .function = 0}};
    const struct agpu_pci_found far = {
        .vendor = 0x1AED,
        .device = 1,
        .ref.location = {.segment = 1, .bus = 0x1F, .device = 0x1E, .function = 7}};

    assert_true(takes("all", &first));
    assert_true(takes("all", &far));
    assert_true(takes("A3A0:0001", &first));
    assert_true(takes("a3a0:0001", &first));
    assert_false(takes("a3a0:0001", &far));
    assert_false(takes("a3a0:0002", &first));
    assert_true(takes("00:04.0", &first));
    assert_true(takes("0:4.0", &first));
    assert_true(takes("0000:00:04.0", &first));
    assert_false(takes("0001:00:04.0", &first));
    assert_false(takes("01:04.0", &first));
    assert_false(takes("00:05.0", &first));
    assert_false(takes("00:04.1", &first));
    assert_true(takes("1:1f:1e.7", &far));
    assert_false(takes("1f:1e.7", &far));
}

TEST(what_is_no_word_is_refused)
{
    static const char *const words[] = {
        "",          "al",        "alls",          "a3a0",      "a3a0:",      "a3a0:1",    ":0001",
        "00:04",     "00:04.",    "00:04.8",       "00:20.0",   "100:04.0",   "00:04.00",  "00:04.0 ",
        "g0:04.0",   "1:2:3:4.0", "10000:00:04.0", "00:04.0:1", "a3a0:0001x", "a3a0:000g", "a3a:00001",
        "a3a0-0001", ":a3a0:001", "a3a00:001",     "a3a0:00:1", "g3a0:0001"};
    struct agpu_selector selector;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (agpu_selector_read(words[i], strlen(words[i]), &selector)) {
            fail_msg("taken: \"%s\"", words[i]);
        }
    }
}

TEST(lists_are_walked)
{
    const char *list = " a, b,,c ";
    const char *word;
    size_t size;

    for (const char *expected = "abc"; *expected; expected++) {
        assert_true(agpu_selector_next(&list, &word, &size));
        assert_int_equal(size, 1);
        assert_int_equal(*word, *expected);
    }
    assert_false(agpu_selector_next(&list, &word, &size));
}
