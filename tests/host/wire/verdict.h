/* verdict.h: the possible verdicts of a case or a run, worst last, and their names on the wire. */
#ifndef AGPU_HOST_WIRE_VERDICT_H
#define AGPU_HOST_WIRE_VERDICT_H

#include <stdbool.h>

/* The results of the image (results.def) and the host's own. */
enum agpu_verdict {
#define RESULT(NAME, ...)      AGPU_VERDICT_##NAME,
#define HOST_RESULT(NAME, ...) AGPU_VERDICT_##NAME,
#include "tests/cases/protocol/results.def"
    AGPU_VERDICT_COUNT
};

/* "PASS" ...; never NULL. */
const char *agpu_verdict_name(enum agpu_verdict verdict);
/* "pass" ... */
const char *agpu_verdict_word(enum agpu_verdict verdict);
/* "passed" ...: key of the count of such cases, in summary records and in summary.json. */
const char *agpu_verdict_count_key(enum agpu_verdict verdict);

/* Parses a name in upper case, as in records; false if no record can have it. */
bool agpu_verdict_parse(const char *name, enum agpu_verdict *out);

static inline enum agpu_verdict agpu_verdict_worst(enum agpu_verdict a, enum agpu_verdict b)
{
    return a > b ? a : b;
}

#endif
