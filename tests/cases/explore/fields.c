/* fields.c: a field of random/fields.def is effective when a byte of the second draw's result differs from the first
 * draw's, both predicted exactly: a device that misses the change is found. Without prediction the second draw must
 * differ from the first, which is like the third. */
#include "tests/cases/explore/fields.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/explore/observe.h"
#include "tests/cases/random/fields.h"

_Static_assert(AGPU_REF_CHUNK == AGPU_GEN_RESULT_BYTES, "a chunk is one result");

const char *const agpu_fields_rule = "draw 2 must differ from draws 1 and 3, which must be equal,";

void agpu_fields_explain(struct agpu_text *text, uint64_t differences)
{
    agpu_format(text, "draws 1 %s 2, 2 %s 3, 1 %s 3%s",
                (differences & 1) != 0 ? "!=" : "==", (differences & 2) != 0 ? "!=" : "==",
                (differences & 4) != 0 ? "!=" : "==", (differences & 8) != 0 ? ", with an error" : "");
}

void agpu_fields_note(struct agpu_explore *explore, uint64_t address, const uint8_t *bytes,
                      const uint8_t *states)
{
    const uint64_t result =
        (address - explore->regions[AGPU_GEN_READ_REGION].device_address) / AGPU_GEN_RESULT_BYTES;
    const uint8_t *second = bytes + AGPU_GEN_RESULT_ROW, *second_states = states + AGPU_GEN_RESULT_ROW;

    for (uint32_t i = 0; i < AGPU_GEN_RESULT_ROW && result < AGPU_GEN_RESULTS; i++) {
        explore->effective = explore->effective || (states[i] == AGPU_REF_EXACT && bytes[i] != second[i] &&
                                                    second_states[i] == AGPU_REF_EXACT);
        explore->unpredicted |= (uint32_t)(states[i] == AGPU_REF_ANY || second_states[i] == AGPU_REF_ANY)
                                << result;
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
    if (!explore->effective && explore->unpredicted == 0) {
        agpu_text_begin(&text, line, sizeof line);
        agpu_format(&text, "row %u of fields.def (%s) changes no byte that is predicted exactly",
                    explore->field, agpu_gen_field_row(explore->field));
        platform->log(platform->ctx, AGPU_LOG_INFO, line);
    }
    explore->fields_effective += explore->effective || explore->unpredicted != 0;
    explore->field++;
}

void agpu_fields_compare(struct agpu_explore *explore)
{
    const uint8_t *first = explore->regions[AGPU_GEN_READ_REGION].cpu;
    uint32_t found = agpu_explore_register(explore, AEROGPU_MMIO_REG_ERROR_COUNT) != 0 ? 8 : 0;

    for (uint32_t result = 0; result < AGPU_GEN_RESULTS; result++, first += AGPU_GEN_RESULT_BYTES) {
        const uint8_t *second = first + AGPU_GEN_RESULT_ROW, *third = second + AGPU_GEN_RESULT_ROW;

        if ((explore->unpredicted >> result & 1) != 0) {
            found |= memcmp(first, second, AGPU_GEN_RESULT_ROW) != 0 ? 1 : 0;
            found |= memcmp(second, third, AGPU_GEN_RESULT_ROW) != 0 ? 2 : 0;
            found |= memcmp(first, third, AGPU_GEN_RESULT_ROW) != 0 ? 4 : 0;
        }
    }
    if (explore->field != UINT32_MAX && !explore->effective && explore->unpredicted != 0 && found != 3 &&
        !explore->mismatch.found) {
        explore->mismatch = (struct agpu_explore_mismatch){.found = true,
                                                           .step = explore->step,
                                                           .what = agpu_fields_rule,
                                                           .section = "commands.md 8",
                                                           .most = 3,
                                                           .actual = found};
    }
    explore->effective = false;
    explore->unpredicted = 0;
}
