/* agree.h: the choices that two functions made differently where the specification allows it, and what they have in
 * common. */
#ifndef AGPU_HOST_COMPARE_AGREE_H
#define AGPU_HOST_COMPARE_AGREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cases/random/plan.h"
#include "tests/host/compare/shape.h"

#define AGPU_CMP_CHOSEN      24u
#define AGPU_CMP_CHOSEN_TEXT 80u

struct agpu_cmp_chosen {
    enum agpu_gen_choice choice;
    char what[AGPU_CMP_CHOSEN_TEXT]; /* "PM", "BAR1", ... */
    char values[2][AGPU_CMP_CHOSEN_TEXT];
    bool compared; /* the user requires equality: a difference */
};

struct agpu_cmp_agreement {
    uint32_t count;
    struct agpu_cmp_chosen list[AGPU_CMP_CHOSEN];
};

/* Fills in the agreement, and in common what both have: features, BAR1, capabilities. A choice that they made
 * differently is no longer compared, unless its bit is set in insisted. */
void agpu_cmp_agree(const struct agpu_cmp_shape shapes[2], uint64_t insisted, struct agpu_gen_common *common,
                    struct agpu_cmp_agreement *agreement);

/* Our model can imitate the board of another device. Writes the spec of a model with the properties of `like`, if
 * spec leaves them open: it names nothing but a fault and how it draws. Returns false when there is nothing to add,
 * or spec is of another kind. */
bool agpu_cmp_adapt(const char *spec, const struct agpu_cmp_shape *own, const struct agpu_cmp_shape *like,
                    char *out, size_t size);

#endif
