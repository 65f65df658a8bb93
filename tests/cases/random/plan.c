/* plan.c: the table of areas. */
#include "tests/cases/random/plan.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

static const struct agpu_gen_area_info areas[AGPU_GEN_AREA_COUNT] = {
#define AGPU_GEN_AREA(constant, name, what) [AGPU_GEN_AREA_##constant] = {name, what},
#include "tests/cases/random/areas.def"
#undef AGPU_GEN_AREA
};

const struct agpu_gen_area_info *agpu_gen_area_info(size_t area)
{
    return &areas[area];
}

uint32_t agpu_gen_areas_apart(const struct agpu_gen_common *common)
{
    uint32_t apart = 0;

    apart |= common->has == 0 ? 1u << AGPU_GEN_AREA_BOARD : 0;
    apart |= common->bar1_bytes == 0 ? 1u << AGPU_GEN_AREA_APERTURE : 0;
    apart |= (common->features & AEROGPU_FEATURE_SCANOUT) == 0 ||
                     (common->features_apart & AEROGPU_FEATURE_VBLANK) != 0
                 ? 1u << AGPU_GEN_AREA_SCANOUT
                 : 0;
    /* One rejects a packet that the other does not know. */
    apart |= (common->features_apart & AEROGPU_FEATURE_TRANSFER) != 0
                 ? 1u << AGPU_GEN_AREA_ERROR | 1u << AGPU_GEN_AREA_DAMAGED
                 : 0;
    return apart;
}

uint32_t agpu_gen_areas_with_needs(uint32_t wanted)
{
    const uint32_t on_textures =
        1u << AGPU_GEN_AREA_CLEAR | 1u << AGPU_GEN_AREA_VIEW | 1u << AGPU_GEN_AREA_SHARED;

    return (wanted & on_textures) != 0 ? wanted | 1u << AGPU_GEN_AREA_TEXTURE : wanted;
}

bool agpu_gen_area_find(const char *name, size_t length, enum agpu_gen_area *out)
{
    for (size_t i = 0; i < AGPU_GEN_AREA_COUNT; i++) {
        if (strlen(areas[i].name) == length && memcmp(areas[i].name, name, length) == 0) {
            *out = (enum agpu_gen_area)i;
            return true;
        }
    }
    return false;
}
