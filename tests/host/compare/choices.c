/* choices.c: the table of choices. */
#include "tests/host/compare/choices.h"

#include <string.h>

static const struct agpu_cmp_choice_info table[AGPU_CMP_CHOICE_COUNT] = {
#define AGPU_CMP_CHOICE(constant, name, section, what, how)                                                  \
    [AGPU_CMP_CHOICE_##constant] = {name, section, what, how},
#include "tests/host/compare/choices.def"
#undef AGPU_CMP_CHOICE
};

_Static_assert(AGPU_CMP_CHOICE_COUNT <= 64, "choices are bits of a word");

const struct agpu_cmp_choice_info *agpu_cmp_choice_info(size_t choice)
{
    return &table[choice];
}

bool agpu_cmp_choice_find(const char *name, size_t length, enum agpu_cmp_choice *out)
{
    for (size_t i = 0; i < AGPU_CMP_CHOICE_COUNT; i++) {
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0) {
            *out = (enum agpu_cmp_choice)i;
            return true;
        }
    }
    return false;
}
