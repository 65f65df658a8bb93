/* test_ctl_request.c: parses the text of requests (tests/handbook/control.md 4). */
#include <stdlib.h>
#include <string.h>

#include "efi/control/request.h"
#include "tests/unit/test.h"

static struct agpu_ctl_words words;

static const char *read_text(const char *text)
{
    const size_t size = strlen(text);
    char *exact = malloc(size + 1); /* exact size: sanitizers notice a read past the end */
    const char *wrong;

    assert_non_null(exact);
    memcpy(exact, text, size);
    wrong = agpu_ctl_read(exact, size, &words);
    free(exact);
    return wrong;
}

TEST(verbs_are_distinguished)
{
    static const struct {
        const char *text;
        enum agpu_ctl_verb verb;
    } good[] = {{"id", AGPU_CTL_ID},
                {"  ring  ", AGPU_CTL_RING},
                {"ring up", AGPU_CTL_RING_UP},
                {"mem", AGPU_CTL_MEM},
                {"mem read 0 1", AGPU_CTL_MEM_READ},
                {"submit", AGPU_CTL_SUBMIT},
                {"submit 3", AGPU_CTL_SUBMIT},
                {"quit", AGPU_CTL_QUIT}};

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_null(read_text(good[i].text));
        assert_int_equal(words.verb, good[i].verb);
    }
}

TEST(operands_are_read)
{
    assert_null(read_text("reg write 0x10C 4294967295"));
    assert_int_equal(words.count, 2);
    assert_int_equal(words.number[0], 0x10c);
    assert_int_equal(words.number[1], UINT32_MAX);
    assert_null(read_text("reg read 0xffffffffffffffff 8"));
    assert_true(words.number[0] == UINT64_MAX);
    assert_null(read_text("cases ring.*,!*.many 12"));
    assert_string_equal(words.globs, "ring.*,!*.many");
    assert_int_equal(words.number[0], 12);
}

TEST(anything_else_is_refused)
{
    static const char *const bad[] = {"",
                                      "reg",
                                      "reg read",
                                      "reg read x",
                                      "reg read 0x",
                                      "reg read 0x10000000000000000",
                                      "reg read 18446744073709551616",
                                      "reg read 1 2 3",
                                      "reg write 1",
                                      "reg read 12a",
                                      "id now",
                                      "ring down",
                                      "run",
                                      "run a\tb",
                                      "Id",
                                      "idx",
                                      "mem read 1"};
    char longest[AGPU_CTL_GLOBS_MAX + 10] = "run ";

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_non_null(read_text(bad[i]));
    }
    memset(longest + 4, '*', AGPU_CTL_GLOBS_MAX);
    assert_null(read_text(longest));
    longest[4 + AGPU_CTL_GLOBS_MAX] = '*';
    assert_non_null(read_text(longest));
}
