/* test_host_cfg.c: one key of an agpu.cfg changed, all else left as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/cfg/check.h"
#include "tests/host/cfg/edit.h"

static void edited(const char *text, const char *key, const char *value, const char *expected)
{
    char *result = agpu_cfg_edit(text, key, value, false);

    assert_non_null(result);
    assert_string_equal(result, expected);
    free(result);
}

static void a_line_is_replaced_in_its_place(void **state)
{
    (void)state;
    edited("a=1\nb=2\nc=3\n", "b", "5", "a=1\nb=5\nc=3\n");
    edited("a=1\n  b = 2\nc=3\nb=4\n", "b", "5", "a=1\nb=5\nc=3\n"); /* the last would have won */
    edited("a=1\r\nb=2\r\n", "a", "5", "a=5\r\nb=2\r\n");
    edited("a=1", "a", "", "a=\n");
}

static void a_new_one_goes_behind_its_comment(void **state)
{
    (void)state;
    edited("# about b\n#b=0\n\nc=3\n", "b", "5", "# about b\n#b=0\nb=5\n\nc=3\n");
    edited("#b=0\nc=3\nb=4\n", "b", "5", "#b=0\nc=3\nb=5\n"); /* what is in force stays where it is */
    edited("# b is good\nbb=1\n", "b", "5", "# b is good\nbb=1\nb=5\n");
    edited("", "b", "5", "b=5\n");
}

static void one_is_taken_out(void **state)
{
    (void)state;
    edited("a=1\nb=2\nb=3\n#b=4\n", "b", NULL, "a=1\n#b=4\n");
    edited("a=1\n", "b", NULL, "a=1\n");
}

static void a_list_grows(void **state)
{
    char *result = agpu_cfg_edit("q=1\nb=2\n", "q", "5", true);

    (void)state;
    assert_string_equal(result, "q=5\nq=1\nb=2\n");
    free(result);
}

static void what_the_image_refuses_is_counted(void **state)
{
    static const char wrong[] = "serial=what\nfilter=a.*\nbudget_mib=1\nnothing\n";

    (void)state;
    assert_int_equal(agpu_cfg_check("x", "", 0), 0);
    assert_int_equal(agpu_cfg_check("x", wrong, strlen(wrong)), 3);
    assert_int_equal(agpu_cfg_check("x", wrong, SIZE_MAX / 2), 1); /* too long to be looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_replaced_in_its_place),
        cmocka_unit_test(a_new_one_goes_behind_its_comment),
        cmocka_unit_test(one_is_taken_out),
        cmocka_unit_test(a_list_grows),
        cmocka_unit_test(what_the_image_refuses_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
