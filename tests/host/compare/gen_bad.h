/* gen_bad.h: actions that are invalid (ring.md 2, 3.1; commands.md 3, 6, 12, 15). */
#ifndef AGPU_HOST_COMPARE_GEN_BAD_H
#define AGPU_HOST_COMPARE_GEN_BAD_H

#include "tests/host/compare/world.h"

/* One faulty packet, structure around a stream, or ring. */
world_action world_bad_packet, world_bad_structure, world_bad_ring;
/* Damages the open submission: from here on the generator's knowledge of the session is unreliable. */
world_action world_damage;

#endif
