/* draws.h: what the device does with draws: nothing, triangles without running shaders, or shaders. */
#ifndef AGPU_CASES_RIG_DRAWS_H
#define AGPU_CASES_RIG_DRAWS_H

#include "tests/cases/rig/submit.h"

/* Found out once a run, at the first call, with draws that are known to be good; afterwards the ring is as new.
 * AGPU_DRAWS_UNKNOWN: they did not come to an end, and the case is an ERROR. Skips nothing. */
enum agpu_draws agpu_draws_find(struct agpu_test *test);

/* Whether it runs shaders; whether it draws triangles, with or without them (commands.md 14). False: the case
 * is skipped, with the reason, or, where the device has to (require.h), the first such case fails and those after
 * it are blocked by it. */
bool agpu_draws_shaders(struct agpu_test *test);
bool agpu_draws_triangles(struct agpu_test *test);

/* The probe as a case, where drawing is required and was not shown in this run; NULL: it is not needed. */
const struct agpu_case *agpu_draws_owed(const struct agpu_env *env);

#endif
