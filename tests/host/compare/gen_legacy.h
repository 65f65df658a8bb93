/* gen_legacy.h: a session on the retired device (legacy.md 2 to 5). */
#ifndef AGPU_HOST_COMPARE_GEN_LEGACY_H
#define AGPU_HOST_COMPARE_GEN_LEGACY_H

#include "tests/host/compare/world.h"

void world_legacy_session(struct agpu_cmp_generator *g);

#endif
