/* repeat.h: long runs of the same few steps. */
#ifndef AGPU_CASES_RANDOM_REPEAT_H
#define AGPU_CASES_RANDOM_REPEAT_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_again;

#endif
