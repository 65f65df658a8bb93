/* test.h: TEST(name) { ... } defines a test of this file; the main function that runs them is in test.c. */
#ifndef AGPU_TESTS_UNIT_TEST_H
#define AGPU_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Tests run in the order of the file. The body may use `state`, the fixture's pointer to its state. */
#define TEST(name)                                                                                           \
    static void name(void **state);                                                                          \
    __attribute__((constructor)) static void unit_add_##name(void)                                           \
    {                                                                                                        \
        unit_add(__FILE__, #name, name);                                                                     \
    }                                                                                                        \
    static void name(__attribute__((unused)) void **state)

/* Each test below this line, up to the next such line, runs between these two; NULL: nothing. */
#define FIXTURE(setup, teardown) UNIT_CALL_AT_START(unit_fixture, __LINE__, setup, teardown)
/* All tests of the file run between these two. */
#define GROUP_FIXTURE(setup, teardown) UNIT_CALL_AT_START(unit_group_fixture, __LINE__, setup, teardown)

#define UNIT_CALL_AT_START(function, line, setup, teardown) UNIT_CALL_AT_LINE(function, line, setup, teardown)
#define UNIT_CALL_AT_LINE(function, line, setup, teardown)                                                   \
    __attribute__((constructor)) static void function##_##line(void)                                         \
    {                                                                                                        \
        function(__FILE__, setup, teardown);                                                                 \
    }                                                                                                        \
    _Static_assert(1, "")

void unit_add(const char *path, const char *name, CMUnitTestFunction function);
void unit_fixture(const char *path, CMFixtureFunction setup, CMFixtureFunction teardown);
void unit_group_fixture(const char *path, CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
