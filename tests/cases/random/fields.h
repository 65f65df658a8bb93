/* fields.h: three draws for each field of the bound state: as it was, with another value, as it was. */
#ifndef AGPU_CASES_RANDOM_FIELDS_H
#define AGPU_CASES_RANDOM_FIELDS_H

#include "tests/cases/random/world.h"

/* A field is a submission of its own. Its results are in the read-back memory: AGPU_GEN_RESULTS pictures, which have a
 * row of AGPU_GEN_RESULT_ROW bytes for each draw. */
#define AGPU_GEN_READ_REGION  3u
#define AGPU_GEN_RESULTS      4u
#define AGPU_GEN_RESULT_BYTES 256u
#define AGPU_GEN_RESULT_ROW   64u

/* Fields of one session. */
#define AGPU_GEN_FIELDS_ONCE 16u

uint32_t agpu_gen_fields_sessions(void);
uint32_t agpu_gen_fields_of(uint32_t session);
/* Returns the text of a row: scene, packet, word, value. */
const char *agpu_gen_field_row(uint32_t row);
/* Adds the steps of a session, which starts with one submission for all objects. */
void agpu_gen_fields_session(struct agpu_gen *g, uint32_t session);

#endif
