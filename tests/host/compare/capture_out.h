/* capture_out.h: a program as a capture (tests/capture): what a driver would have sent, and what the device answered. */
#ifndef AGPU_HOST_COMPARE_CAPTURE_OUT_H
#define AGPU_HOST_COMPARE_CAPTURE_OUT_H

#include <stdbool.h>

#include "tests/host/compare/difference.h"

/* Runs the program on the first device of the pair, step by step, and writes that. id: of the case in the capture. False with
 * the reason in text; no file is left that is not complete. */
bool agpu_cmp_capture_write(const char *path, const char *id, struct agpu_cmp_pair *pair,
                            const struct agpu_cmp_program *program, char text[AGPU_CMP_TEXT]);

#endif
