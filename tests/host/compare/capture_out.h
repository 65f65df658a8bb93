/* capture_out.h: converts a program to a capture (tests/capture): a driver's accesses, and the device's answers. */
#ifndef AGPU_HOST_COMPARE_CAPTURE_OUT_H
#define AGPU_HOST_COMPARE_CAPTURE_OUT_H

#include <stdbool.h>

#include "tests/host/compare/difference.h"

/* Runs the program on the first device of the pair, step by step, and writes the capture. id: of the case in the
 * capture. Returns false with the reason in text; leaves no incomplete file. */
bool agpu_cmp_capture_write(const char *path, const char *id, struct agpu_cmp_pair *pair,
                            const struct agpu_gen_program *program, char text[AGPU_CMP_TEXT]);

#endif
