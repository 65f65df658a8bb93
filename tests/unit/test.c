/* test.c: collects the tests of a program before main, and runs them. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_TESTS 128

static struct CMUnitTest tests[MAX_TESTS];
static size_t count;
static CMFixtureFunction fixture[2], group[2];

void unit_add(const char *name, CMUnitTestFunction function)
{
    if (count == MAX_TESTS) {
        fprintf(stderr, "%s: the program has more than %d tests: raise MAX_TESTS in tests/unit/test.c\n",
                name, MAX_TESTS);
        abort();
    }
    tests[count++] = (struct CMUnitTest){name, function, fixture[0], fixture[1], NULL};
}

void unit_fixture(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    fixture[0] = setup;
    fixture[1] = teardown;
}

void unit_group_fixture(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    group[0] = setup;
    group[1] = teardown;
}

int main(int argc, char **argv)
{
    (void)argc;
    return cmocka_run_group_tests_name(argv[0], tests, group[0], group[1]); /* it skips the empty rows */
}
