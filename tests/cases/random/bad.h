/* bad.h: actions that are invalid (ring.md 2, 3.1; commands.md 3, 6, 12, 15). */
#ifndef AGPU_CASES_RANDOM_BAD_H
#define AGPU_CASES_RANDOM_BAD_H

#include "tests/cases/random/world.h"

/* One faulty packet, structure around a stream, or ring. */
agpu_gen_action agpu_gen_bad_packet, agpu_gen_bad_structure, agpu_gen_bad_ring;
/* Damages the open submission: from here on the generator's knowledge of the session is unreliable. */
agpu_gen_action agpu_gen_damage;

#endif
