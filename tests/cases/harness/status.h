/* status.h: the results that a case, or a run, can have (results.def). */
#ifndef AGPU_CASES_HARNESS_STATUS_H
#define AGPU_CASES_HARNESS_STATUS_H

enum agpu_result {
#define RESULT(NAME, ...) AGPU_##NAME,
#include "tests/cases/protocol/results.def"
    AGPU_RESULT_COUNT,
};

/* "PASS", "SKIP", ...; "?" for a value outside the enumeration. */
const char *agpu_result_name(enum agpu_result result);

/* "passed", "skipped", ...: the record key for the number of cases with this result. */
const char *agpu_result_count_key(enum agpu_result result);

/* Returns the worse of two results. */
enum agpu_result agpu_result_worse(enum agpu_result a, enum agpu_result b);

#endif
