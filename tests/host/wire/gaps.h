/* gaps.h: the sequence numbers for which no record arrived. */
#ifndef AGPU_HOST_WIRE_GAPS_H
#define AGPU_HOST_WIRE_GAPS_H

#include "tests/host/wire/seq_map.h"

#define AGPU_GAPS_MAX 256

struct agpu_gap {
    uint32_t boot;
    uint64_t first;
    uint64_t last;
};

/* Zero-initialised is empty. */
struct agpu_gaps {
    struct agpu_gap list[AGPU_GAPS_MAX];
    size_t count;
    uint64_t missing; /* records in all gaps, including those beyond the list */
};

/* Adds one hole; does nothing when its first is above its last. */
void agpu_gaps_add(struct agpu_gaps *gaps, uint32_t boot, const struct agpu_seq_stretch *hole);

/* Adds the holes of a boot that has ended. */
void agpu_gaps_of_boot(struct agpu_gaps *gaps, uint32_t boot, const struct agpu_seq_map *map);

#endif
