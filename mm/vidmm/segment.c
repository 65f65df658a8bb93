/* segment.c: zones of DMA memory under one budget, or a fixed window (vidmm.md 2). */
#include "mm/vidmm/segment.h"

#include <string.h>

/* A new zone is as large as all existing zones together, within these bounds. A short run stays small, a long run
 * rarely calls the firmware's page allocator, and a fragmented machine still has pieces of that size. */
#define ZONE_BYTES_MIN (512ull << 10)
#define ZONE_BYTES_MAX (8ull << 20)
/* All zones together may have this many budgets. Committed memory stays within one; the rest leaves room for a
 * contiguous piece while pinned or busy pages keep other zones from being freed. */
#define HELD_BUDGETS 2u

void agpu_segment_init(struct agpu_segment *segment, struct agpu_memory *memory, uint64_t budget)
{
    memset(segment, 0, sizeof *segment);
    segment->memory = memory;
    segment->budget = budget & ~(uint64_t)(AGPU_PAGE_SIZE - 1u);
    agpu_range_init(&segment->ranges, memory);
}

/* Ranges are numbered by device page, so that an alignment refers to the device address. The low 32 bits of the page
 * number are enough for that and for the offset in the zone. */
static uint32_t first_device_page(uint64_t device_address)
{
    return (uint32_t)(device_address / AGPU_PAGE_SIZE);
}

static bool grow_zone_array(struct agpu_segment *segment)
{
    uint32_t room = segment->zone_room == 0 ? 64u : segment->zone_room * 2u;
    struct agpu_segment_zone *zones = agpu_memory_alloc(segment->memory, room * sizeof *zones);

    if (zones == NULL) {
        return false;
    }
    if (segment->zone_count != 0) {
        memcpy(zones, segment->zones, segment->zone_count * sizeof *zones);
    }
    agpu_memory_free(segment->memory, segment->zones, segment->zone_room * sizeof *zones);
    segment->zones = zones;
    segment->zone_room = room;
    return true;
}

/* Returns a free slot in the zone array, UINT32_MAX when the heap is exhausted. */
static uint32_t find_zone_slot(struct agpu_segment *segment)
{
    for (uint32_t i = 0; i < segment->zone_count; i++) {
        if (segment->zones[i].pages == 0) {
            return i;
        }
    }
    if (segment->zone_count == segment->zone_room && !grow_zone_array(segment)) {
        return UINT32_MAX;
    }
    return segment->zone_count++;
}

bool agpu_segment_init_window(struct agpu_segment *segment, struct agpu_memory *memory,
                              const struct agpu_segment_window *window)
{
    agpu_segment_init(segment, memory, window->size);
    uint64_t pages = window->size / AGPU_PAGE_SIZE;
    if (pages == 0 || pages > AGPU_RANGE_MAX_PAGES || window->device_address % AGPU_PAGE_SIZE != 0) {
        return false;
    }
    segment->window = *window;
    uint32_t slot = find_zone_slot(segment);
    if (slot == UINT32_MAX) {
        return false;
    }
    struct agpu_segment_zone *zone = &segment->zones[slot];
    zone->idle_range = agpu_range_add_zone(&segment->ranges, slot, first_device_page(window->device_address),
                                           (uint32_t)pages);
    if (zone->idle_range == AGPU_SLAB_NONE) {
        agpu_segment_fini(segment);
        return false;
    }
    zone->pages = (uint32_t)pages;
    zone->dma.cpu = window->cpu;
    zone->dma.device_address = window->device_address;
    segment->held = pages * AGPU_PAGE_SIZE;
    return true;
}

void agpu_segment_fini(struct agpu_segment *segment)
{
    for (uint32_t i = 0; i < segment->zone_count && segment->window.size == 0; i++) {
        agpu_memory_free_dma(segment->memory, &segment->zones[i].dma);
    }
    agpu_memory_free(segment->memory, segment->zones, segment->zone_room * sizeof *segment->zones);
    agpu_range_fini(&segment->ranges);
    agpu_segment_init(segment, segment->memory, segment->budget);
}

static void free_zone(struct agpu_segment *segment, uint32_t slot)
{
    struct agpu_segment_zone *zone = &segment->zones[slot];

    agpu_range_remove_zone(&segment->ranges, zone->idle_range);
    segment->held -= (uint64_t)zone->pages * AGPU_PAGE_SIZE;
    agpu_memory_free_dma(segment->memory, &zone->dma);
    memset(zone, 0, sizeof *zone);
    segment->idle_zones--;
}

static void free_idle_zones(struct agpu_segment *segment)
{
    for (uint32_t i = 0; i < segment->zone_count && segment->idle_zones != 0; i++) {
        if (segment->zones[i].pages != 0 && segment->zones[i].used_pages == 0) {
            free_zone(segment, i);
        }
    }
}

/* Allocates one more zone of at least `need` bytes from the platform. */
static enum agpu_segment_result add_segment_zone(struct agpu_segment *segment, uint64_t need)
{
    uint64_t allowed = segment->budget * HELD_BUDGETS;

    if (segment->held + need > allowed) {
        free_idle_zones(segment);
    }
    if (segment->held + need > allowed) {
        return AGPU_SEGMENT_FRAGMENTED;
    }
    uint32_t slot = find_zone_slot(segment);
    if (slot == UINT32_MAX) {
        return AGPU_SEGMENT_NO_RECORD;
    }

    uint64_t bytes =
        segment->held < ZONE_BYTES_MIN ? ZONE_BYTES_MIN : segment->held & ~(uint64_t)(AGPU_PAGE_SIZE - 1u);
    if (bytes > ZONE_BYTES_MAX) {
        bytes = ZONE_BYTES_MAX;
    }
    if (bytes < need) {
        bytes = need;
    }
    if (segment->held + bytes > segment->budget) {
        bytes = need;
    }
    struct agpu_segment_zone *zone = &segment->zones[slot];
    if (!agpu_memory_alloc_dma(segment->memory, bytes, &zone->dma) &&
        !agpu_memory_alloc_dma(segment->memory, need, &zone->dma)) {
        return AGPU_SEGMENT_FRAGMENTED;
    }
    uint32_t pages = (uint32_t)(zone->dma.size / AGPU_PAGE_SIZE);
    zone->idle_range =
        agpu_range_add_zone(&segment->ranges, slot, first_device_page(zone->dma.device_address), pages);
    if (zone->idle_range == AGPU_SLAB_NONE) {
        agpu_memory_free_dma(segment->memory, &zone->dma);
        return AGPU_SEGMENT_NO_RECORD;
    }
    zone->pages = pages;
    segment->held += (uint64_t)pages * AGPU_PAGE_SIZE;
    segment->idle_zones++;
    return AGPU_SEGMENT_OK;
}

static enum agpu_segment_result alloc_in_zones(struct agpu_segment *segment, uint32_t pages,
                                               uint32_t align_pages, struct agpu_placement *out)
{
    uint32_t range = agpu_range_alloc(&segment->ranges, pages, align_pages);

    if (range == AGPU_SLAB_NONE) {
        return AGPU_SEGMENT_FRAGMENTED;
    }
    const struct agpu_range *at = agpu_range_at(&segment->ranges, range);
    struct agpu_segment_zone *zone = &segment->zones[at->zone];
    uint64_t offset = (uint64_t)(at->first - first_device_page(zone->dma.device_address)) * AGPU_PAGE_SIZE;
    if (zone->used_pages == 0) {
        segment->idle_zones--;
    }
    zone->used_pages += pages;
    out->cpu = zone->dma.cpu == NULL ? NULL : (uint8_t *)zone->dma.cpu + offset;
    out->device_address = zone->dma.device_address + offset;
    out->range = range;
    out->spilled = false;
    return AGPU_SEGMENT_OK;
}

enum agpu_segment_result agpu_segment_alloc(struct agpu_segment *segment, uint64_t size, uint64_t alignment,
                                            struct agpu_placement *out)
{
    uint64_t bytes = agpu_page_round(size);

    if (size == 0 || bytes / AGPU_PAGE_SIZE > AGPU_RANGE_MAX_PAGES || bytes > segment->budget) {
        return AGPU_SEGMENT_OVER_BUDGET;
    }
    if (segment->committed + bytes > segment->budget) {
        return AGPU_SEGMENT_OVER_BUDGET;
    }
    uint32_t pages = (uint32_t)(bytes / AGPU_PAGE_SIZE);
    uint32_t align_pages = alignment <= AGPU_PAGE_SIZE ? 1u : (uint32_t)(alignment / AGPU_PAGE_SIZE);

    enum agpu_segment_result result = alloc_in_zones(segment, pages, align_pages, out);
    if (result != AGPU_SEGMENT_OK && segment->window.size == 0) {
        result = add_segment_zone(segment, bytes + (uint64_t)(align_pages - 1u) * AGPU_PAGE_SIZE);
        if (result == AGPU_SEGMENT_OK) {
            result = alloc_in_zones(segment, pages, align_pages, out);
        }
    }
    if (result != AGPU_SEGMENT_OK) {
        return result;
    }
    segment->committed += bytes;
    if (segment->committed > segment->committed_peak) {
        segment->committed_peak = segment->committed;
    }
    if (out->cpu != NULL) {
        memset(out->cpu, 0, bytes);
    }
    return AGPU_SEGMENT_OK;
}

void agpu_segment_order(const struct agpu_segment *segment)
{
    const struct agpu_platform *platform = segment->memory->platform;

    if (segment->window.write_combined && platform->bar_order != NULL) {
        platform->bar_order(platform->ctx);
    }
}

void agpu_segment_free(struct agpu_segment *segment, uint32_t range)
{
    const struct agpu_range *self = agpu_range_at(&segment->ranges, range);
    struct agpu_segment_zone *zone = &segment->zones[self->zone];
    uint32_t slot = self->zone;

    segment->committed -= (uint64_t)self->pages * AGPU_PAGE_SIZE;
    zone->used_pages -= self->pages;
    range = agpu_range_free(&segment->ranges, range);
    if (zone->used_pages != 0) {
        return;
    }
    zone->idle_range = range;
    segment->idle_zones++;
    if (segment->window.size == 0 && segment->idle_zones > 1u) {
        free_zone(segment, slot);
    }
}
