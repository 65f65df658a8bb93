/* legacy.h: a session on the retired device (legacy.md 2 to 5). */
#ifndef AGPU_CASES_RANDOM_LEGACY_H
#define AGPU_CASES_RANDOM_LEGACY_H

#include "tests/cases/random/world.h"

void agpu_gen_legacy_session(struct agpu_gen *g);

#endif
