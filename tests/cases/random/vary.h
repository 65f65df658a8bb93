/* vary.h: one field of the bound state changes, and changes back. */
#ifndef AGPU_CASES_RANDOM_VARY_H
#define AGPU_CASES_RANDOM_VARY_H

#include "tests/cases/random/world.h"

#define AGPU_GEN_VARY_WORDS 320u

/* Names that may take the place of a bound target; their textures are all different. */
struct agpu_gen_names {
    uint32_t colors[AGPU_GEN_TARGETS], depths[AGPU_GEN_TARGETS];
    uint32_t color_count, depth_count;
};

/* A packet of the session. words: 0: none. */
struct agpu_gen_sent {
    uint32_t words, word[AGPU_GEN_VARY_WORDS];
};

/* Finds a packet with this opcode in the steps from the first on: the last one, or any. */
const uint32_t *agpu_gen_sent_find(struct agpu_gen *g, uint32_t first_step, uint32_t opcode, bool last);
/* Sends a packet of the session again. */
void agpu_gen_send_again(struct agpu_gen *g, const struct agpu_gen_sent *sent);
/* Sends a packet from the steps from the first on again, with another value in one field. Returns the packet as it was
 * in `before`; no words: nothing was sent. */
void agpu_gen_vary(struct agpu_gen *g, uint32_t first_step, const struct agpu_gen_names *names,
                   struct agpu_gen_sent *before);

#endif
