/* gaps.h: the sequence numbers of which no record arrived. */
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
    uint64_t missing; /* records in all gaps, also those past the list */
};

/* Adds one; nothing when its first is above its last. */
void agpu_gaps_add(struct agpu_gaps *gaps, uint32_t boot, const struct agpu_seq_stretch *hole);

/* Adds what a boot that is over did not bring. */
void agpu_gaps_of_boot(struct agpu_gaps *gaps, uint32_t boot, const struct agpu_seq_map *map);

#endif
