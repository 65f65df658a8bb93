/* executor.h: which of the known executors a foreign device is like, where the specification lists what they do
 * otherwise than the text asks (commands.md 6, 11). A device that deviates as none of them does is wrong. */
#ifndef AGPU_CASES_RIG_EXECUTOR_H
#define AGPU_CASES_RIG_EXECUTOR_H

#include "tests/cases/rig/env.h"

/* Found out at the first need in a run, with submissions of its own before those of the case: a case calls it
 * before it makes anything. The model is held to the text. NULL when that went wrong, which is recorded. */
const struct agpu_executor *agpu_executor_of(struct agpu_test *test);

#endif
