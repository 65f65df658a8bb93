/* plan.h: parameters of the generated work: areas, seed, what both devices have. */
#ifndef AGPU_CASES_RANDOM_PLAN_H
#define AGPU_CASES_RANDOM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cases/random/choices.h"

/* Uses of PCI capabilities that both devices support; LACKS: a power state that neither offers. */
enum agpu_gen_has {
    AGPU_GEN_HAS_SLEEP = 1,       /* D3hot and back keeps all state */
    AGPU_GEN_HAS_SLEEP_RESET = 2, /* D3hot and back is a reset */
    AGPU_GEN_LACKS_D1 = 4,
    AGPU_GEN_LACKS_D2 = 8,
    AGPU_GEN_HAS_MSI = 16,
    AGPU_GEN_HAS_MSIX = 32,
    AGPU_GEN_HAS_FUNCTION_RESET = 64,
};

/* Common properties of both devices, and the generator's restrictions. */
struct agpu_gen_common {
    bool legacy;
    uint64_t features;
    uint64_t features_apart; /* only one of them has these */
    uint64_t bar1_bytes;     /* the smaller one */
    uint32_t has;            /* enum agpu_gen_has */
    bool listed;             /* at least one has a capability list */
    bool wide;               /* at least one has a 64-bit BAR */
    struct agpu_gen_choices choices;
};

enum agpu_gen_area {
#define AGPU_GEN_AREA(constant, name, what) AGPU_GEN_AREA_##constant,
#include "tests/cases/random/areas.def"
#undef AGPU_GEN_AREA
    AGPU_GEN_AREA_COUNT
};

struct agpu_gen_area_info {
    const char *name, *what;
};
const struct agpu_gen_area_info *agpu_gen_area_info(size_t area);
bool agpu_gen_area_find(const char *name, size_t length, enum agpu_gen_area *out);
/* Returns the areas, one bit each, whose work needs a property that one of the devices lacks. */
uint32_t agpu_gen_areas_apart(const struct agpu_gen_common *common);
/* Adds the areas without which these generate nothing: a clear needs a texture. */
uint32_t agpu_gen_areas_with_needs(uint32_t wanted);

/* Parameters of the generator. */
struct agpu_gen_plan {
    uint64_t seed;
    const uint8_t
        *input; /* chooses instead of seed and session until it is exhausted, which ends the session */
    size_t input_bytes;   /* 0: none */
    uint32_t areas;       /* one bit per area */
    uint32_t focus;       /* areas, one bit each, whose actions come four times as often */
    uint32_t submissions; /* approximate number per session */
    bool draws;           /* both devices execute shaders */
    bool fields;          /* sessions of fields.h instead of random ones */
    bool unbroken;        /* no reset after the first: one long session */
    /* submissions that take several service points of our model (device.md 4.10): one in this many chances, 0: none */
    uint32_t heavy;
    uint32_t again; /* the most times that steps are repeated, a power of two; 0: no such steps */
    struct agpu_gen_common common;
};

#endif
