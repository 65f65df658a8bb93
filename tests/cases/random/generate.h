/* generate.h: generates random programs of valid work, and of invalid work with a defined outcome: sequences that no
 * existing driver sends. Avoids what the specification leaves to the device (choices.def). */
#ifndef AGPU_CASES_RANDOM_GENERATE_H
#define AGPU_CASES_RANDOM_GENERATE_H

#include <stdint.h>

#include "tests/cases/random/world.h"

/* Generates session number `session` of the plan, deterministically; replaces the contents of program. The session is
 * shorter than planned when the program is full. */
void agpu_gen_generate(struct agpu_gen *generator, const struct agpu_gen_plan *plan, uint64_t session,
                       struct agpu_gen_program *program);

#endif
