/* generate.h: generates random programs of valid work, and of invalid work with a defined outcome: sequences that no
 * existing driver sends. Avoids what the specification leaves to the device (choices.def). */
#ifndef AGPU_HOST_COMPARE_GENERATE_H
#define AGPU_HOST_COMPARE_GENERATE_H

#include <stdint.h>

#include "tests/host/compare/world.h"

/* Generates session number `session` of the plan, deterministically; replaces the contents of program. The session is
 * shorter than planned when the program is full. */
void agpu_cmp_generate(struct agpu_cmp_generator *generator, const struct agpu_cmp_plan *plan,
                       uint64_t session, struct agpu_cmp_program *program);

#endif
