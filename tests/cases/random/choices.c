/* choices.c: the table of choices. */
#include "tests/cases/random/choices.h"

#include <string.h>

static const struct agpu_gen_choice_info table[AGPU_GEN_CHOICE_COUNT] = {
#define AGPU_GEN_CHOICE(constant, name, section, what, how)                                                  \
    [AGPU_GEN_CHOICE_##constant] = {name, section, what, how},
#include "tests/cases/random/choices.def"
#undef AGPU_GEN_CHOICE
};

_Static_assert(AGPU_GEN_CHOICE_COUNT <= 64, "choices are bits of a word");

const struct agpu_gen_choice_info *agpu_gen_choice_info(size_t choice)
{
    return &table[choice];
}

bool agpu_gen_choice_find(const char *name, size_t length, enum agpu_gen_choice *out)
{
    for (size_t i = 0; i < AGPU_GEN_CHOICE_COUNT; i++) {
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0) {
            *out = (enum agpu_gen_choice)i;
            return true;
        }
    }
    return false;
}
