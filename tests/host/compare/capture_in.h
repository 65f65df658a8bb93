/* capture_in.h: a case of a capture (tests/capture) as a program: its submissions, the memory that they use, the registers
 * around them. */
#ifndef AGPU_HOST_COMPARE_CAPTURE_IN_H
#define AGPU_HOST_COMPARE_CAPTURE_IN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/program.h"
#include "tests/host/compare/worker.h"

/* Fills program with what a case did with the function of that number: the first that failed of those that the globs select, or
 * the first of them; NULL: of all. name gets its id. False with the reason in text: no such file, no such case, more memory than a program has, the retired device. The file may be anybody's. */
bool agpu_cmp_capture_read(const char *path, uint32_t function, const char *filter,
                           struct agpu_cmp_program *program, char name[AGPU_CMP_TEXT],
                           char text[AGPU_CMP_TEXT]);

#endif
