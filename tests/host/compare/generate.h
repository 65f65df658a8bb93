/* generate.h: random programs of valid work, and of invalid work with a defined outcome: what a driver that nobody wrote might
 * do. What the specification leaves to a device it keeps clear of (choices.def). */
#ifndef AGPU_HOST_COMPARE_GENERATE_H
#define AGPU_HOST_COMPARE_GENERATE_H

#include <stdint.h>

#include "tests/host/compare/plan.h"
#include "tests/host/compare/program.h"

struct agpu_cmp_generator;

/* NULL when memory is exhausted. */
struct agpu_cmp_generator *agpu_cmp_generator_create(void);
void agpu_cmp_generator_destroy(struct agpu_cmp_generator *generator);
/* Session number `session` of the plan, always the same one; replaces what is in program. */
void agpu_cmp_generate(struct agpu_cmp_generator *generator, const struct agpu_cmp_plan *plan,
                       uint64_t session, struct agpu_cmp_program *program);

#endif
