/* segment.h: a memory segment of VidMm (vidmm.md 2): its budget, the DMA memory behind it, and who owns which
 * pages. */
#ifndef AGPU_MM_VIDMM_SEGMENT_H
#define AGPU_MM_VIDMM_SEGMENT_H

#include "mm/base/range.h"

/* Segment numbers, as in SegmentId and (as bit n-1) in the segment sets. */
#define AGPU_SEGMENT_SYSTEM 1u /* aperture over system memory */
#define AGPU_SEGMENT_VRAM   2u /* BAR1, only when configured */

/* Fixed memory behind a segment: BAR1. cpu is NULL when the platform could not map it. */
struct agpu_segment_window {
    uint64_t device_address;
    uint64_t size;
    void *cpu;
    bool write_combined; /* as the machine mapped it (platform.h, bar_order) */
};

/* One contiguous piece. For a window segment there is exactly one, without DMA memory of its own. */
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
    /* Zones without a used page: one is kept, so that a lone allocation may come and go. */
    uint32_t idle_zones;
    uint64_t budget;    /* bytes; upper bound of committed */
    uint64_t committed; /* bytes of used ranges */
    uint64_t held;      /* bytes of all zones */
    uint64_t committed_peak;
    struct agpu_segment_window window; /* size 0: system memory */
};

/* Where an allocation lies. */
struct agpu_placement {
    void *cpu; /* NULL when the segment is not mapped */
    uint64_t device_address;
    uint32_t range;
    bool
        spilled; /* not in the allocation's own segment, which is full, but in the other one that it accepts */
};

enum agpu_segment_result {
    AGPU_SEGMENT_OK = 0,
    AGPU_SEGMENT_OVER_BUDGET, /* evict committed bytes first */
    AGPU_SEGMENT_FRAGMENTED,  /* the budget allows it, but no contiguous piece is free nor to be had */
    AGPU_SEGMENT_NO_RECORD,   /* heap exhausted: evicting does not help */
};

/* An empty segment over system memory with that budget; allocates nothing yet. */
void agpu_segment_init(struct agpu_segment *segment, struct agpu_memory *memory, uint64_t budget);
/* A segment over a window; false when the heap is exhausted or the window is unusable. */
bool agpu_segment_init_window(struct agpu_segment *segment, struct agpu_memory *memory,
                              const struct agpu_segment_window *window);
/* Frees everything, also pages still in use. */
void agpu_segment_fini(struct agpu_segment *segment);

/* Allocates size bytes (rounded up to pages) at a device address that is a multiple of alignment (power of
 * two, 0 = page), zeroed where the CPU reaches it. */
enum agpu_segment_result agpu_segment_alloc(struct agpu_segment *segment, uint64_t size, uint64_t alignment,
                                            struct agpu_placement *out);
/* Orders the processor's accesses to a write-combined window against what the device is told, and was told; costs
 * nothing elsewhere. */
void agpu_segment_order(const struct agpu_segment *segment);

/* Frees a placement. */
void agpu_segment_free(struct agpu_segment *segment, uint32_t range);

#endif
