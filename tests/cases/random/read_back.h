/* read_back.h: actions that copy resources to guest memory (commands.md 6.4). */
#ifndef AGPU_CASES_RANDOM_READ_BACK_H
#define AGPU_CASES_RANDOM_READ_BACK_H

#include "tests/cases/random/world.h"

/* Copy one resource, or all of them. */
agpu_gen_action agpu_gen_read_back, agpu_gen_read_all;

#endif
