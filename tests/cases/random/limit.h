/* limit.h: work at limits of the specification (device.md 4.10, commands.md 6.1). */
#ifndef AGPU_CASES_RANDOM_LIMIT_H
#define AGPU_CASES_RANDOM_LIMIT_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_many, agpu_gen_edges, agpu_gen_long, agpu_gen_hold;

#endif
