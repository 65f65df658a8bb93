/* fields.h: three draws for each field of the bound state: as it was, with another value, as it was. */
#ifndef AGPU_CASES_RANDOM_FIELDS_H
#define AGPU_CASES_RANDOM_FIELDS_H

#include "tests/cases/random/read_back.h"

/* Fields of one session. */
#define AGPU_GEN_FIELDS_ONCE 16u

uint32_t agpu_gen_fields_count(void);
uint32_t agpu_gen_fields_sessions(void);
uint32_t agpu_gen_fields_of(uint32_t session);
/* A field of a row, and a value that it has in some row: a handle stands for any other one, but 0. */
struct agpu_gen_variation {
    uint32_t opcode, word, value;
    bool is_handle;
    bool in_slots; /* several packets of this kind have an effect at once */
};
struct agpu_gen_variation agpu_gen_variation(struct agpu_gen *g);

/* Returns the text of a row: scene, packet, word, value. */
const char *agpu_gen_field_row(uint32_t row);
/* Adds the steps of a session, which starts with one submission for all objects. */
void agpu_gen_fields_session(struct agpu_gen *g, uint32_t session);

#endif
