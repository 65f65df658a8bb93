/* together.h: the other functions of a run that drives several, prepared beside the one that the case runs on. */
#ifndef AGPU_CASES_RIG_TOGETHER_H
#define AGPU_CASES_RIG_TOGETHER_H

#include "tests/cases/rig/submit.h"

#define AGPU_TOGETHER_MAX 8u

/* Each function has a test of its own, whose env is the function's: what takes a test works on any of them. The first is
 * the case's. */
struct agpu_together {
    struct agpu_test *of[AGPU_TOGETHER_MAX];
    unsigned count;
};

/* Brings the others up as the case's need says. False when there are none, which is a skip, or one does not come up,
 * which is its failure; close in any case. */
bool agpu_together_open(struct agpu_test *test, struct agpu_together *out);

/* Takes the others down, and gives what was found on them to the case, with the function's name in front. */
void agpu_together_close(struct agpu_together *together);

#endif
