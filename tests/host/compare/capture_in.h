/* capture_in.h: converts a case of a capture (tests/capture) to a program: its submissions, the memory that they
 * use, the register accesses between them. */
#ifndef AGPU_HOST_COMPARE_CAPTURE_IN_H
#define AGPU_HOST_COMPARE_CAPTURE_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/cases/random/program.h"
#include "tests/host/compare/worker.h"

/* Fills program with a case of the function with that number: the first failed one that the globs select, or else
 * the first; globs NULL: all cases. name receives its id. Returns false with the reason in text: no such file, no
 * such case, more memory than a program has, the retired device. The file may be untrusted. */
bool agpu_cmp_capture_read(const char *path, uint32_t function, const char *filter,
                           struct agpu_gen_program *program, char name[AGPU_CMP_TEXT],
                           char text[AGPU_CMP_TEXT]);

#endif
