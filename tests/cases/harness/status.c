/* status.c: names of results, and which is worse. */
#include "tests/cases/harness/status.h"

static const char *const names[AGPU_RESULT_COUNT] = {
    [AGPU_PASS] = "PASS", [AGPU_SKIP] = "SKIP",       [AGPU_ERROR] = "ERROR",
    [AGPU_FAIL] = "FAIL", [AGPU_TIMEOUT] = "TIMEOUT", [AGPU_CRASH] = "CRASH",
};

const char *agpu_result_name(enum agpu_result result)
{
    return (unsigned)result < AGPU_RESULT_COUNT ? names[result] : "?";
}

enum agpu_result agpu_result_worse(enum agpu_result a, enum agpu_result b)
{
    return a > b ? a : b;
}
