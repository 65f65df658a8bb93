/* plan.h: what a comparison generates: areas, seed, what both devices have. */
#ifndef AGPU_HOST_COMPARE_PLAN_H
#define AGPU_HOST_COMPARE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/compare/choices.h"

/* What is common to both devices, and what is asked of them. */
struct agpu_cmp_common {
    bool legacy;
    uint64_t features;
    uint64_t bar1_bytes; /* the smaller one */
    struct agpu_cmp_choices choices;
};

enum agpu_cmp_area {
#define AGPU_CMP_AREA(constant, name, what) AGPU_CMP_AREA_##constant,
#include "tests/host/compare/areas.def"
#undef AGPU_CMP_AREA
    AGPU_CMP_AREA_COUNT
};

struct agpu_cmp_area_info {
    const char *name, *what;
};
const struct agpu_cmp_area_info *agpu_cmp_area_info(size_t area);
bool agpu_cmp_area_find(const char *name, size_t length, enum agpu_cmp_area *out);

/* What to generate. */
struct agpu_cmp_plan {
    uint64_t seed;
    uint32_t areas;       /* a bit an area */
    uint32_t submissions; /* a session, about */
    bool draws;           /* both devices execute shaders */
    struct agpu_cmp_common common;
};

#endif
