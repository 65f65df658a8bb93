/* draws.h: detects what the device does with draws: nothing, triangles without running shaders, or shaders. */
#ifndef AGPU_CASES_RIG_DRAWS_H
#define AGPU_CASES_RIG_DRAWS_H

#include "tests/cases/rig/submit.h"

/* Returns the answer, which the first call of a run finds with draws that are known to be valid; afterwards the ring
 * is like new. AGPU_DRAWS_UNKNOWN: they did not complete, and the case is an ERROR. Skips nothing. */
enum agpu_draws agpu_draws_find(struct agpu_test *test);

/* Return true if the device runs shaders, and if it draws triangles, with or without them (commands.md 14). On false
 * the case is skipped with the reason; if drawing is required (require.h), the first such case fails and later ones
 * are blocked by it. */
bool agpu_draws_shaders(struct agpu_test *test);
bool agpu_draws_triangles(struct agpu_test *test);

/* Returns the probe as a case, if drawing is required and was not shown in this run; otherwise NULL. */
const struct agpu_case *agpu_draws_untested_case(const struct agpu_env *env);

#endif
