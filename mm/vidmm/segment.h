/* segment.h: a memory segment of VidMm (vidmm.md 2): its budget, its DMA memory, and the owners of its pages. */
#ifndef AGPU_MM_VIDMM_SEGMENT_H
#define AGPU_MM_VIDMM_SEGMENT_H

#include "mm/base/range.h"

/* Segment numbers, as in SegmentId and (as bit n-1) in the segment sets. */
#define AGPU_SEGMENT_SYSTEM 1u /* aperture over system memory */
#define AGPU_SEGMENT_VRAM   2u /* BAR1, only when configured */

/* Fixed memory of a segment: BAR1. cpu is NULL when the platform could not map it. */
struct agpu_segment_window {
    uint64_t device_address;
    uint64_t size;
    void *cpu;
    bool write_combined; /* as the machine mapped it (platform.h, bar_order) */
};

/* One contiguous piece. A window segment has exactly one, without its own DMA memory. */
struct agpu_segment_zone {
    struct agpu_dma dma; /* all zero when the slot is free */
    uint32_t pages;
    uint32_t used_pages;
    uint32_t idle_range; /* its one free range while used_pages is 0 */
};

struct agpu_segment {
    struct agpu_memory *memory;
    struct agpu_range_allocator ranges;
    struct agpu_segment_zone *zones;
    uint32_t zone_count, zone_room;
    /* Zones without a used page. One is retained, so that a single allocation can come and go cheaply. */
    uint32_t idle_zones;
    uint64_t budget;    /* bytes; upper bound of committed */
    uint64_t committed; /* bytes of used ranges */
    uint64_t held;      /* bytes of all zones */
    uint64_t committed_peak;
    struct agpu_segment_window window; /* size 0: system memory */
};

/* Location of an allocation. */
struct agpu_placement {
    void *cpu; /* NULL when the segment is not mapped */
    uint64_t device_address;
    uint32_t range;
    bool spilled; /* not in its own segment, which is full, but in the other one that it accepts */
};

enum agpu_segment_result {
    AGPU_SEGMENT_OK = 0,
    AGPU_SEGMENT_OVER_BUDGET, /* evict committed bytes first */
    AGPU_SEGMENT_FRAGMENTED,  /* within budget, but no contiguous piece is free or can be allocated */
    AGPU_SEGMENT_NO_RECORD,   /* heap exhausted: evicting does not help */
};

/* Initialises an empty segment over system memory with that budget; allocates nothing yet. */
void agpu_segment_init(struct agpu_segment *segment, struct agpu_memory *memory, uint64_t budget);
/* Initialises a segment over a window; false when the heap is exhausted or the window is unusable. */
bool agpu_segment_init_window(struct agpu_segment *segment, struct agpu_memory *memory,
                              const struct agpu_segment_window *window);
/* Frees everything, including pages in use. */
void agpu_segment_fini(struct agpu_segment *segment);

/* Allocates size bytes (rounded up to pages) at a device address that is a multiple of alignment (power of two, 0 =
 * page), zeroed if the CPU can reach them. */
enum agpu_segment_result agpu_segment_alloc(struct agpu_segment *segment, uint64_t size, uint64_t alignment,
                                            struct agpu_placement *out);
/* Orders CPU accesses to a write-combined window with respect to notifications to and from the device (bar_order of
 * platform.h). Costs nothing for other segments. */
void agpu_segment_order(const struct agpu_segment *segment);

/* Frees a placement. */
void agpu_segment_free(struct agpu_segment *segment, uint32_t range);

#endif
