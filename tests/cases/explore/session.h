/* session.h: runs a generated program (random/program.h) on the device under test with the reference (reference/)
 * beside it, and finds the first observation that the reference excludes. */
#ifndef AGPU_CASES_EXPLORE_SESSION_H
#define AGPU_CASES_EXPLORE_SESSION_H

#include "tests/cases/explore/beside.h"

/* Allocates the memory of the machine and the reference. shaders: of draws to predict. */
enum agpu_status agpu_explore_open(struct agpu_explore *explore, struct agpu_test *test,
                                   const struct agpu_ref_shader *shaders, uint32_t shader_count);
/* Makes the device idle, and frees the memory. */
void agpu_explore_close(struct agpu_explore *explore);

/* Runs the program from a quiet device on. Returns false if the device did something that the reference excludes:
 * explore->mismatch. */
bool agpu_explore_run(struct agpu_explore *explore, const struct agpu_gen_program *program);

#endif
