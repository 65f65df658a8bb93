/* describe.h: programs as text, for people. */
#ifndef AGPU_CASES_RANDOM_DESCRIBE_H
#define AGPU_CASES_RANDOM_DESCRIBE_H

#include "tests/cases/random/program.h"

/* Calls line for each line: a step, or a part of a submission. */
void agpu_gen_describe(const struct agpu_gen_program *program, void (*line)(void *ctx, const char *text),
                       void *ctx);

#endif
