/* gaps.c: the holes between the records that arrived: listed up to a limit, counted beyond it. */
#include "tests/host/wire/gaps.h"

void agpu_gaps_add(struct agpu_gaps *gaps, uint32_t boot, const struct agpu_seq_stretch *hole)
{
    if (hole->first > hole->last) {
        return;
    }
    if (gaps->count < AGPU_GAPS_MAX) {
        gaps->list[gaps->count++] = (struct agpu_gap){.boot = boot, .first = hole->first, .last = hole->last};
    }
    gaps->missing += hole->last - hole->first + 1;
}

void agpu_gaps_of_boot(struct agpu_gaps *gaps, uint32_t boot, const struct agpu_seq_map *map)
{
    struct agpu_seq_stretch hole;

    for (size_t i = 0; agpu_seq_set_hole(&map->all, i, &hole); i++) {
        agpu_gaps_add(gaps, boot, &hole);
    }
}
