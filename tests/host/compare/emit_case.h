/* emit_case.h: a difference as a case of the catalogue, in C, over tests/cases/rig/steps.h. */
#ifndef AGPU_HOST_COMPARE_EMIT_CASE_H
#define AGPU_HOST_COMPARE_EMIT_CASE_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/compare/lockstep.h"

/* Writes a file that compiles beside other cases: id is the case's, name the C function's. It does the finding's steps
 * and asks for what the first device of the pair showed, of which it gets a run. False with the reason in text: what
 * a case cannot ask for. */
bool agpu_cmp_emit(FILE *out, const char *id, const char *name, const struct agpu_cmp_finding *finding,
                   struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT]);
/* The same into a file; id and name come from the file's. */
bool agpu_cmp_emit_file(const char *path, const struct agpu_cmp_finding *finding, struct agpu_cmp_pair *pair,
                        char text[AGPU_CMP_TEXT]);

#endif
