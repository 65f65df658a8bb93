/* verdict.c: names and order of the verdicts. */
#include "tests/host/wire/verdict.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *word, *count_key;
} verdicts[AGPU_VERDICT_COUNT] = {
#define RESULT(NAME, word, count, ...)      {#NAME, #word, #count},
#define HOST_RESULT(NAME, word, count, ...) {#NAME, #word, #count},
#include "tests/cases/protocol/results.def"
};

const char *agpu_verdict_name(enum agpu_verdict verdict)
{
    return (unsigned)verdict < AGPU_VERDICT_COUNT ? verdicts[verdict].name : "ERROR";
}

const char *agpu_verdict_word(enum agpu_verdict verdict)
{
    return verdicts[verdict].word;
}

const char *agpu_verdict_count_key(enum agpu_verdict verdict)
{
    return verdicts[verdict].count_key;
}

bool agpu_verdict_parse(const char *name, enum agpu_verdict *out)
{
    for (size_t i = 0; i < AGPU_VERDICT_COUNT; i++) {
        if (i != AGPU_VERDICT_INTERRUPTED && strcmp(verdicts[i].name, name) == 0) {
            *out = (enum agpu_verdict)i;
            return true;
        }
    }
    return false;
}
