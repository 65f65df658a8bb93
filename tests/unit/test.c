/* test.c: collects the tests of a program before main, and runs them. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TESTS 512
#define MAX_FILES 32

/* The tests of one source file, which are a group. */
struct unit_file {
    const char *path;
    size_t first, count;
    CMFixtureFunction fixture[2], group[2];
};

static struct CMUnitTest tests[MAX_TESTS];
static struct unit_file files[MAX_FILES];
static size_t count, file_count;

static struct unit_file *file_of(const char *path)
{
    if (file_count == 0 || strcmp(files[file_count - 1].path, path) != 0) {
        if (file_count == MAX_FILES) {
            fprintf(stderr, "%s: the program has more than %d files: raise MAX_FILES in tests/unit/test.c\n",
                    path, MAX_FILES);
            abort();
        }
        files[file_count++] = (struct unit_file){.path = path, .first = count};
    }
    return &files[file_count - 1];
}

void unit_add(const char *path, const char *name, CMUnitTestFunction function)
{
    struct unit_file *file = file_of(path);

    if (count == MAX_TESTS) {
        fprintf(stderr, "%s: the program has more than %d tests: raise MAX_TESTS in tests/unit/test.c\n",
                name, MAX_TESTS);
        abort();
    }
    tests[count++] = (struct CMUnitTest){name, function, file->fixture[0], file->fixture[1], NULL};
    file->count++;
}

void unit_fixture(const char *path, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct unit_file *file = file_of(path);

    file->fixture[0] = setup;
    file->fixture[1] = teardown;
}

void unit_group_fixture(const char *path, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct unit_file *file = file_of(path);

    file->group[0] = setup;
    file->group[1] = teardown;
}

int main(void)
{
    int failed = 0;

    for (const struct unit_file *file = files; file < files + file_count; file++) {
        failed |= _cmocka_run_group_tests(file->path, tests + file->first, file->count, file->group[0],
                                          file->group[1]);
    }
    return failed != 0;
}
