/* plan.h: parameters of the generated work: areas, seed, what both devices have. */
#ifndef AGPU_HOST_COMPARE_PLAN_H
#define AGPU_HOST_COMPARE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/compare/choices.h"

/* Uses of PCI capabilities that both devices support; LACKS: a power state that neither offers. */
enum agpu_cmp_has {
    AGPU_CMP_HAS_SLEEP = 1,       /* D3hot and back keeps all state */
    AGPU_CMP_HAS_SLEEP_RESET = 2, /* D3hot and back is a reset */
    AGPU_CMP_LACKS_D1 = 4,
    AGPU_CMP_LACKS_D2 = 8,
    AGPU_CMP_HAS_MSI = 16,
    AGPU_CMP_HAS_MSIX = 32,
    AGPU_CMP_HAS_FUNCTION_RESET = 64,
};

/* Common properties of both devices, and the generator's restrictions. */
struct agpu_cmp_common {
    bool legacy;
    uint64_t features;
    uint64_t features_apart; /* only one of them has these */
    uint64_t bar1_bytes;     /* the smaller one */
    uint32_t has;            /* enum agpu_cmp_has */
    bool listed;             /* at least one has a capability list */
    bool wide;               /* at least one has a 64-bit BAR */
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
/* Returns the areas, one bit each, whose work needs a property that one of the devices lacks. */
uint32_t agpu_cmp_areas_apart(const struct agpu_cmp_common *common);

/* Parameters of the generator. */
struct agpu_cmp_plan {
    uint64_t seed;
    uint32_t areas;       /* one bit per area */
    uint32_t submissions; /* approximate number per session */
    bool draws;           /* both devices execute shaders */
    struct agpu_cmp_common common;
};

#endif
