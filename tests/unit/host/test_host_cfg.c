/* test_host_cfg.c: changes one key of an agpu.cfg and leaves the rest as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/cfg/check.h"
#include "tests/host/cfg/edit.h"
#include "tests/unit/test.h"

static void edited(const char *text, const char *key, const char *value, const char *expected)
{
    char *result = agpu_cfg_edit(text, key, value, false);

    assert_non_null(result);
    assert_string_equal(result, expected);
    free(result);
}

TEST(a_line_is_replaced_in_its_place)
{
    edited("a=1\nb=2\nc=3\n", "b", "5", "a=1\nb=5\nc=3\n");
    edited("a=1\n  b = 2\nc=3\nb=4\n", "b", "5", "a=1\nb=5\nc=3\n"); /* the last line was effective */
    edited("a=1\r\nb=2\r\n", "a", "5", "a=5\r\nb=2\r\n");
    edited("a=1", "a", "", "a=\n");
}

TEST(a_new_one_goes_behind_its_comment)
{
    edited("# about b\n#b=0\n\nc=3\n", "b", "5", "# about b\n#b=0\nb=5\n\nc=3\n");
    edited("#b=0\nc=3\nb=4\n", "b", "5", "#b=0\nc=3\nb=5\n"); /* the effective line keeps its place */
    edited("# b is good\nbb=1\n", "b", "5", "# b is good\nbb=1\nb=5\n");
    edited("", "b", "5", "b=5\n");
}

TEST(one_is_taken_out)
{
    edited("a=1\nb=2\nb=3\n#b=4\n", "b", NULL, "a=1\n#b=4\n");
    edited("a=1\n", "b", NULL, "a=1\n");
}

TEST(a_list_grows)
{
    char *result = agpu_cfg_edit("q=1\nb=2\n", "q", "5", true);

    assert_string_equal(result, "q=5\nq=1\nb=2\n");
    free(result);
}

static void append(void *ctx, unsigned number, const char *line, const char *reason)
{
    char *all = ctx;

    (void)line;
    snprintf(all + strlen(all), 4096 - strlen(all), "%u %s ", number, reason);
}

/* Checks a text of this size (SIZE_MAX: its length): it has count wrong lines, and the report contains says. */
static void refused(const char *text, size_t size, unsigned count, const char *says)
{
    char all[4096] = "";
    const struct agpu_cfg_check check = {
        .text = text, .size = size == SIZE_MAX ? strlen(text) : size, .wrong = append, .ctx = all};

    assert_int_equal(agpu_cfg_check(&check), count);
    assert_non_null(strstr(all, says));
}

TEST(what_the_image_refuses_is_counted)
{
    refused("", 0, 0, "");
    refused("filter=ring.*,!ring.wrap.*\n", SIZE_MAX, 0, "");
    refused("serial=what\nfilter=ring.*\nbudget_mib=1\nnothing\n", SIZE_MAX, 3, "; the nearest: ");
    refused("x", SIZE_MAX / 2, 1, "shorten it"); /* too long to read */
    refused("filter=ring.*\nrequire=none,shadrs\n", SIZE_MAX, 1, "; the nearest: shaders");
    refused("control=on,serail\n", SIZE_MAX, 1, "; the nearest: serial");
    refused("fliter=ring.*\n", SIZE_MAX, 1, "; the nearest: filter");
    refused("\n control = wait\n", SIZE_MAX, 1, "2 expected key= beside it");
    refused("filter=ring.*,rong.*\n", SIZE_MAX, 1, "no case matches \"rong.*\"; the nearest: ring.*");
    refused("filter=!rong.*\n", SIZE_MAX, 1, "no case matches \"rong.*\"");
    refused("after=ring.wrap.slost\n", SIZE_MAX, 1, "ring.wrap.slots");
}
