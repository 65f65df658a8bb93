/* choices.h: the device choices that a comparison compares (choices.def). */
#ifndef AGPU_HOST_COMPARE_CHOICES_H
#define AGPU_HOST_COMPARE_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agpu_cmp_choice {
#define AGPU_CMP_CHOICE(constant, name, section, what, how) AGPU_CMP_CHOICE_##constant,
#include "tests/host/compare/choices.def"
#undef AGPU_CMP_CHOICE
    AGPU_CMP_CHOICE_COUNT
};

/* A set bit: both devices must have made the same choice. */
struct agpu_cmp_choices {
    uint64_t compared;
};

struct agpu_cmp_choice_info {
    const char *name, *section, *what, *how;
};

static inline bool agpu_cmp_may(struct agpu_cmp_choices choices, enum agpu_cmp_choice choice)
{
    return (choices.compared >> choice & 1) != 0;
}

/* Returns the entry of choice 0 to AGPU_CMP_CHOICE_COUNT - 1. */
const struct agpu_cmp_choice_info *agpu_cmp_choice_info(size_t choice);
/* Returns false when there is none of that name. */
bool agpu_cmp_choice_find(const char *name, size_t length, enum agpu_cmp_choice *out);

#endif
