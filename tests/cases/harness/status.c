/* status.c: names of results, and their order. */
#include "tests/cases/harness/status.h"

static const char *const status_names[] = {
#define RESULT(NAME, ...) #NAME,
#include "tests/cases/protocol/results.def"
};

static const char *const count_keys[] = {
#define RESULT(NAME, word, count, ...) #count,
#include "tests/cases/protocol/results.def"
};

const char *agpu_result_name(enum agpu_result result)
{
    return (unsigned)result < AGPU_RESULT_COUNT ? status_names[result] : "?";
}

const char *agpu_result_count_key(enum agpu_result result)
{
    return count_keys[result];
}

enum agpu_result agpu_result_worse(enum agpu_result a, enum agpu_result b)
{
    return a > b ? a : b;
}
