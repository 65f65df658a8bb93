/* calls.h: the callbacks and packets of whole cases, as the spy writes them (spy.h). tests/cases/calls/ has a text
 * for each case. The variants of a case on the three interfaces share one, because they make the same calls. */
#ifndef AGPU_CASES_RIG_CALLS_H
#define AGPU_CASES_RIG_CALLS_H

#include "tests/cases/harness/check.h"

struct agpu_calls {
    const char *id; /* of a case, or without its _d3d10, _d3d10_1 or _d3d11; NULL ends the table */
    const char *text;
};
extern const struct agpu_calls agpu_calls[];

/* Call around the body: checks that a case that has a text, and has passed so far, has made the calls of the text. The
 * check is left out where the calls may differ: fewer features, another ABI, settings, a device like an executor. */
void agpu_calls_begin(struct agpu_test *test);
void agpu_calls_end(struct agpu_test *test);

#endif
