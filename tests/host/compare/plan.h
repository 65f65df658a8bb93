/* plan.h: what a comparison generates: areas, seed, what both devices have. */
#ifndef AGPU_HOST_COMPARE_PLAN_H
#define AGPU_HOST_COMPARE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/compare/choices.h"

/* What PCI's capabilities let both devices do; LACKS: a power state that neither offers. */
enum agpu_cmp_has {
    AGPU_CMP_HAS_SLEEP = 1,       /* D3hot and back, all as it was */
    AGPU_CMP_HAS_SLEEP_RESET = 2, /* D3hot and back, a reset */
    AGPU_CMP_LACKS_D1 = 4,
    AGPU_CMP_LACKS_D2 = 8,
    AGPU_CMP_HAS_MSI = 16,
    AGPU_CMP_HAS_MSIX = 32,
    AGPU_CMP_HAS_FUNCTION_RESET = 64,
};

/* What is common to both devices, and what is asked of them. */
struct agpu_cmp_common {
    bool legacy;
    uint64_t features;
    uint64_t features_apart; /* that one of them has */
    uint64_t bar1_bytes;     /* the smaller one */
    uint32_t has;            /* enum agpu_cmp_has */
    bool listed;             /* one of them has a capability list */
    bool wide;               /* or a 64-bit BAR */
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
/* Areas, a bit each, of work that only makes sense where both devices have what one of these has not. */
uint32_t agpu_cmp_areas_apart(const struct agpu_cmp_common *common);

/* Their names, with a comma between each two. */
void agpu_cmp_areas_text(uint32_t wanted, char *text, size_t size);

/* What to generate. */
struct agpu_cmp_plan {
    uint64_t seed;
    uint32_t areas;       /* a bit an area */
    uint32_t submissions; /* a session, about */
    bool draws;           /* both devices execute shaders */
    struct agpu_cmp_common common;
};

#endif
