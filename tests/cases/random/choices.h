/* choices.h: the device choices that a comparison compares (choices.def). */
#ifndef AGPU_CASES_RANDOM_CHOICES_H
#define AGPU_CASES_RANDOM_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agpu_gen_choice {
#define AGPU_GEN_CHOICE(constant, name, section, what, how) AGPU_GEN_CHOICE_##constant,
#include "tests/cases/random/choices.def"
#undef AGPU_GEN_CHOICE
    AGPU_GEN_CHOICE_COUNT
};

/* A set bit: both devices must have made the same choice. */
struct agpu_gen_choices {
    uint64_t compared;
};

struct agpu_gen_choice_info {
    const char *name, *section, *what, *how;
};

static inline bool agpu_gen_is_compared(struct agpu_gen_choices choices, enum agpu_gen_choice choice)
{
    return (choices.compared >> choice & 1) != 0;
}

/* Returns the entry of choice 0 to AGPU_GEN_CHOICE_COUNT - 1. */
const struct agpu_gen_choice_info *agpu_gen_choice_info(size_t choice);
/* Returns false when there is none of that name. */
bool agpu_gen_choice_find(const char *name, size_t length, enum agpu_gen_choice *out);

#endif
