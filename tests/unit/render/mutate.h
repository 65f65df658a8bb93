/* mutate.h: seeded damage to shaders whose checksum stays right, so that it reaches what lies behind the
 * checksum. */
#ifndef AGPU_TESTS_UNIT_RENDER_MUTATE_H
#define AGPU_TESTS_UNIT_RENDER_MUTATE_H

#include <stdint.h>

#include "tests/shaders/shaders.h"

enum { AGPU_MUTANT_WORDS = 4096 };

/* The test shader with this number, counted modulo their count. */
const struct agpu_shader_blob *agpu_any_shader(uint32_t number);

/* Copies a shader to words, changes one to four words of it as seed says, sets the checksum. Returns its
 * size. */
uint32_t agpu_mutant(const struct agpu_shader_blob *shader, uint64_t seed, uint32_t words[AGPU_MUTANT_WORDS]);

#endif
