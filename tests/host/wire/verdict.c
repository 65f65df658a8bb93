/* verdict.c: names and order of the statuses. */
#include "tests/host/wire/verdict.h"

#include <stddef.h>
#include <string.h>

static const char *const names[AGPU_VERDICT_COUNT] = {
    [AGPU_VERDICT_PASS] = "PASS",
    [AGPU_VERDICT_SKIP] = "SKIP",
    [AGPU_VERDICT_FAIL] = "FAIL",
    [AGPU_VERDICT_ERROR] = "ERROR",
    [AGPU_VERDICT_TIMEOUT] = "TIMEOUT",
    [AGPU_VERDICT_CRASH] = "CRASH",
    [AGPU_VERDICT_INTERRUPTED] = "INTERRUPTED",
};

const char *agpu_verdict_name(enum agpu_verdict verdict)
{
    return (unsigned)verdict < AGPU_VERDICT_COUNT ? names[verdict] : "ERROR";
}

bool agpu_verdict_parse(const char *name, enum agpu_verdict *out)
{
    for (size_t i = 0; i < AGPU_VERDICT_COUNT; i++) {
        if (i != AGPU_VERDICT_INTERRUPTED && strcmp(names[i], name) == 0) {
            *out = (enum agpu_verdict)i;
            return true;
        }
    }
    return false;
}
