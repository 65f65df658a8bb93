/* emit_case.h: writes a difference as a case of the catalogue, in C, using tests/cases/rig/steps.h. */
#ifndef AGPU_HOST_COMPARE_EMIT_CASE_H
#define AGPU_HOST_COMPARE_EMIT_CASE_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/compare/lockstep.h"

/* Writes a file that compiles together with other cases: id is the case's, name the C function's. The case does the
 * finding's steps and expects what the first device of the pair shows; this runs the program on that device. Returns
 * false with the reason in text: a case cannot check it. */
bool agpu_cmp_emit(FILE *out, const char *id, const char *name, const struct agpu_cmp_finding *finding,
                   struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT]);
/* Like agpu_cmp_emit(), into a file, whose name determines id and name. */
bool agpu_cmp_emit_file(const char *path, const struct agpu_cmp_finding *finding, struct agpu_cmp_pair *pair,
                        char text[AGPU_CMP_TEXT]);

#endif
