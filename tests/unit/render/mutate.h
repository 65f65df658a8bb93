/* mutate.h: seeded damage to shaders. The checksum is updated, so that the damage reaches the code after the check. */
#ifndef AGPU_TESTS_UNIT_RENDER_MUTATE_H
#define AGPU_TESTS_UNIT_RENDER_MUTATE_H

#include <stdint.h>

#include "tests/shaders/shaders.h"

enum { AGPU_MUTANT_WORDS = 4096 };

/* Returns the test shader with this number, modulo their count. */
const struct agpu_shader_blob *agpu_any_shader(uint32_t number);

/* Copies a shader to words, changes one to four words of it by the seed, and updates the checksum. Returns its size. */
uint32_t agpu_mutant(const struct agpu_shader_blob *shader, uint64_t seed, uint32_t words[AGPU_MUTANT_WORDS]);

#endif
