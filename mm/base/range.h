/* range.h: allocates the pages of a segment: a two-level segregated fit (TLSF) allocator whose records lie outside the
 * memory that it manages. Constant time; good fit, immediate coalescing (Masmano et al., "TLSF", 2004). */
#ifndef AGPU_MM_BASE_RANGE_H
#define AGPU_MM_BASE_RANGE_H

#include "mm/base/slab.h"

/* Sizes in pages: each range 2^(level) is split linearly into 2^3 lists; up to 2^30 pages. */
#define AGPU_RANGE_SPLIT_SHIFT 3u
#define AGPU_RANGE_SPLIT       (1u << AGPU_RANGE_SPLIT_SHIFT)
#define AGPU_RANGE_LEVELS      29u
#define AGPU_RANGE_MAX_PAGES   (1u << 30)

/* One piece of a zone, free or used. Pieces of a zone form a list in address order. */
struct agpu_range {
    uint32_t first; /* page number */
    uint32_t free_next;
    uint32_t pages;
    uint32_t free_prev;
    uint32_t before; /* neighbour in address order */
    uint32_t after;
    uint32_t zone; /* number that the caller gave the zone */
    bool used;
};

/* Several zones (separate contiguous memories) with one common set of free lists. */
struct agpu_range_allocator {
    struct agpu_slab ranges;
    uint32_t level_map;
    uint8_t split_map[AGPU_RANGE_LEVELS];
    uint32_t lists[AGPU_RANGE_LEVELS][AGPU_RANGE_SPLIT];
    uint64_t free_pages;
};

void agpu_range_init(struct agpu_range_allocator *allocator, struct agpu_memory *memory);
/* Removes all zones. */
void agpu_range_fini(struct agpu_range_allocator *allocator);

/* Adds the pages first..first+pages-1 (numbers modulo 2^32) of a zone as free. Returns its first range, AGPU_SLAB_NONE
 * when memory is exhausted. */
uint32_t agpu_range_add_zone(struct agpu_range_allocator *allocator, uint32_t zone, uint32_t first,
                             uint32_t pages);
/* Removes a zone; range must be its only range, and free. */
void agpu_range_remove_zone(struct agpu_range_allocator *allocator, uint32_t range);

/* Allocates pages at a multiple of align_pages (a power of two). Returns AGPU_SLAB_NONE when no free range is large
 * enough or no record is left. */
uint32_t agpu_range_alloc(struct agpu_range_allocator *allocator, uint32_t pages, uint32_t align_pages);
/* Frees a range. Returns the coalesced free range that now covers it. */
uint32_t agpu_range_free(struct agpu_range_allocator *allocator, uint32_t range);

static inline struct agpu_range *agpu_range_at(const struct agpu_range_allocator *allocator, uint32_t range)
{
    return agpu_slab_at(&allocator->ranges, range);
}

#endif
