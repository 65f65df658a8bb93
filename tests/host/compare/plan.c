/* plan.c: the table of areas. */
#include "tests/host/compare/plan.h"

#include <string.h>

static const struct agpu_cmp_area_info areas[AGPU_CMP_AREA_COUNT] = {
#define AGPU_CMP_AREA(constant, name, what) [AGPU_CMP_AREA_##constant] = {name, what},
#include "tests/host/compare/areas.def"
#undef AGPU_CMP_AREA
};

const struct agpu_cmp_area_info *agpu_cmp_area_info(size_t area)
{
    return &areas[area];
}

bool agpu_cmp_area_find(const char *name, size_t length, enum agpu_cmp_area *out)
{
    for (size_t i = 0; i < AGPU_CMP_AREA_COUNT; i++) {
        if (strlen(areas[i].name) == length && memcmp(areas[i].name, name, length) == 0) {
            *out = (enum agpu_cmp_area)i;
            return true;
        }
    }
    return false;
}
