/* fields.c: a field of random/fields.def is effective when a byte of the second draw's result differs from the first
 * draw's, both predicted exactly: a device that misses the change is found. */
#include "tests/cases/explore/fields.h"

#include "tests/cases/random/fields.h"

_Static_assert(AGPU_REF_CHUNK == AGPU_GEN_RESULT_BYTES, "a chunk is one result");

void agpu_fields_note(struct agpu_explore *explore, uint64_t address, const uint8_t *bytes,
                      const uint8_t *states)
{
    const uint8_t *second = bytes + AGPU_GEN_RESULT_ROW, *second_states = states + AGPU_GEN_RESULT_ROW;

    if (address - explore->regions[AGPU_GEN_READ_REGION].device_address >=
        AGPU_GEN_RESULTS * AGPU_GEN_RESULT_BYTES) {
        return;
    }
    for (uint32_t i = 0; i < AGPU_GEN_RESULT_ROW; i++) {
        explore->effective = explore->effective || (states[i] == AGPU_REF_EXACT && bytes[i] != second[i] &&
                                                    second_states[i] == AGPU_REF_EXACT);
    }
}

void agpu_fields_count(struct agpu_explore *explore)
{
    const struct agpu_platform *platform = explore->platform;
    struct agpu_text text;
    char line[160];

    if (explore->field == UINT32_MAX || !explore->objects) {
        explore->objects = true;
        return;
    }
    if (!explore->effective) {
        agpu_text_begin(&text, line, sizeof line);
        agpu_format(&text, "row %u of fields.def (%s) changes no byte that is predicted exactly",
                    explore->field, agpu_gen_field_row(explore->field));
        platform->log(platform->ctx, AGPU_LOG_INFO, line);
    }
    explore->fields_effective += explore->effective;
    explore->effective = false;
    explore->field++;
}
