/* test_tally.c: groups of cases on the screen, and large letters. */
#include <stdio.h>
#include <string.h>

#include "efi/tally.h"
#include "tests/unit/test.h"

static struct agpu_group_tally tally;
static char line[200];

static bool next_line(unsigned *next, unsigned width)
{
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    return agpu_tally_line(&tally, next, width, &text);
}

static void add(const char *id, bool bad)
{
    agpu_tally_add(&tally, id, strlen(id), bad);
}

TEST(groups_are_counted)
{
    unsigned next = 0;

    tally = (struct agpu_group_tally){0};
    add("ring.a.b", false);
    add("ring.c", true);
    add("fence.a", false);
    add("ring", false);
    assert_true(next_line(&next, 80));
    assert_string_equal(line, " ring 3 (1 bad)  fence 1");
    assert_false(next_line(&next, 80));
    next = 0;
    assert_true(next_line(&next, 18)); /* one per row if the screen is narrow */
    assert_string_equal(line, " ring 3 (1 bad)");
    assert_true(next_line(&next, 18));
    assert_string_equal(line, " fence 1");
    assert_false(next_line(&next, 18));
}

TEST(hostile_ids_have_room)
{
    char id[40];

    tally = (struct agpu_group_tally){0};
    for (unsigned i = 0; i < 100; i++) {
        snprintf(id, sizeof id, "a_subject_that_is_long_%u.x", i);
        add(id, false);
        snprintf(id, sizeof id, "s%u", i);
        add(id, true);
    }
    assert_int_equal(tally.count, AGPU_TALLY_GROUPS_MAX);
    assert_int_equal(strlen(tally.groups[0].name), AGPU_TALLY_NAME_MAX);
    assert_int_equal(tally.groups[0].ended, 100);
}

TEST(letters_are_big)
{
    static const char *const seven[AGPU_BIG_ROWS] = {"##### ", "    # ", "   #  ", "  #   ",
                                                     " #    ", " #    ", " #    "};

    assert_int_equal(agpu_big_width("87%", false), 18);
    assert_int_equal(agpu_big_width("87%", true), 36);
    for (unsigned row = 0; row < AGPU_BIG_ROWS; row++) {
        struct agpu_text text;

        agpu_text_begin(&text, line, sizeof line);
        agpu_big_row(&text, "7", row, false);
        assert_string_equal(line, seven[row]);
    }
}
