/* together.h: the other functions of a run that drives several, prepared in addition to the function of the case. */
#ifndef AGPU_CASES_RIG_TOGETHER_H
#define AGPU_CASES_RIG_TOGETHER_H

#include "tests/cases/rig/submit.h"

#define AGPU_TOGETHER_MAX 8u

/* Each function has its own struct agpu_test, whose env is the function's, so all helpers work on any of them. The
 * first is the case's. */
struct agpu_together {
    struct agpu_test *of[AGPU_TOGETHER_MAX];
    unsigned count;
};

/* Prepares the other functions as the case needs them. Returns false if there are none, which is a skip, or if one
 * does not start, which is its failure. The caller must call close in any case. */
bool agpu_together_open(struct agpu_test *test, struct agpu_together *out);

/* Releases the others, and adds the failures found on them to the case, with the function's name in front. */
void agpu_together_close(struct agpu_together *together);

#endif
