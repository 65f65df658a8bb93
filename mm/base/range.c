/* range.c: the TLSF allocator of page ranges. */
#include "mm/base/range.h"

#include <string.h>

#define NONE AGPU_SLAB_NONE

struct list_position {
    uint32_t level, split;
};

static uint32_t log2_floor(uint32_t value)
{
    return 31u - (uint32_t)__builtin_clz(value);
}

/* Returns the list for a free range of this size. Each size below SPLIT has its own list in level 0. */
static struct list_position list_position_of(uint32_t pages)
{
    if (pages < AGPU_RANGE_SPLIT) {
        return (struct list_position){0, pages};
    }
    uint32_t log = log2_floor(pages);
    return (struct list_position){log - AGPU_RANGE_SPLIT_SHIFT + 1u,
                                  (pages >> (log - AGPU_RANGE_SPLIT_SHIFT)) & (AGPU_RANGE_SPLIT - 1u)};
}

/* Returns the first list in which every range is large enough: rounds the size up to the next list boundary. */
static struct list_position list_search_start(uint32_t pages)
{
    if (pages >= AGPU_RANGE_SPLIT) {
        pages += (1u << (log2_floor(pages) - AGPU_RANGE_SPLIT_SHIFT)) - 1u;
    }
    return list_position_of(pages);
}

static void link_free_range(struct agpu_range_allocator *a, uint32_t index)
{
    struct agpu_range *range = agpu_range_at(a, index);
    struct list_position p = list_position_of(range->pages);
    uint32_t head = a->lists[p.level][p.split];

    range->used = false;
    range->free_prev = NONE;
    range->free_next = head;
    if (head != NONE) {
        agpu_range_at(a, head)->free_prev = index;
    }
    a->lists[p.level][p.split] = index;
    a->split_map[p.level] = (uint8_t)(a->split_map[p.level] | 1u << p.split);
    a->level_map |= 1u << p.level;
    a->free_pages += range->pages;
}

static void unlink_free_range(struct agpu_range_allocator *a, uint32_t index)
{
    struct agpu_range *range = agpu_range_at(a, index);
    struct list_position p = list_position_of(range->pages);

    if (range->free_next != NONE) {
        agpu_range_at(a, range->free_next)->free_prev = range->free_prev;
    }
    if (range->free_prev != NONE) {
        agpu_range_at(a, range->free_prev)->free_next = range->free_next;
    } else {
        a->lists[p.level][p.split] = range->free_next;
        if (range->free_next == NONE) {
            a->split_map[p.level] = (uint8_t)(a->split_map[p.level] & ~(1u << p.split));
            if (a->split_map[p.level] == 0) {
                a->level_map &= ~(1u << p.level);
            }
        }
    }
    range->used = true;
    range->free_next = range->free_prev = NONE;
    a->free_pages -= range->pages;
}

static uint32_t alloc_range_record(struct agpu_range_allocator *a)
{
    uint32_t index = agpu_slab_alloc(&a->ranges);

    if (index != NONE) {
        memset(agpu_range_at(a, index), 0, sizeof(struct agpu_range));
    }
    return index;
}

void agpu_range_init(struct agpu_range_allocator *allocator, struct agpu_memory *memory)
{
    memset(allocator, 0, sizeof *allocator);
    agpu_slab_init(&allocator->ranges, memory, sizeof(struct agpu_range), UINT32_MAX - 1u);
}

void agpu_range_fini(struct agpu_range_allocator *allocator)
{
    struct agpu_memory *memory = allocator->ranges.memory;

    agpu_slab_fini(&allocator->ranges);
    agpu_range_init(allocator, memory);
}

uint32_t agpu_range_add_zone(struct agpu_range_allocator *allocator, uint32_t zone, uint32_t first,
                             uint32_t pages)
{
    if (pages == 0 || pages > AGPU_RANGE_MAX_PAGES) {
        return NONE;
    }
    uint32_t index = alloc_range_record(allocator);
    if (index == NONE) {
        return NONE;
    }
    struct agpu_range *range = agpu_range_at(allocator, index);
    range->zone = zone;
    range->first = first;
    range->pages = pages;
    link_free_range(allocator, index);
    return index;
}

void agpu_range_remove_zone(struct agpu_range_allocator *allocator, uint32_t range)
{
    unlink_free_range(allocator, range);
    agpu_slab_free(&allocator->ranges, range);
}

/* Cuts a used range after its first `pages` pages; the rest becomes a new used range. */
static uint32_t split_range_after(struct agpu_range_allocator *a, uint32_t index, uint32_t pages)
{
    uint32_t rest = alloc_range_record(a);

    if (rest == NONE) {
        return NONE;
    }
    struct agpu_range *range = agpu_range_at(a, index);
    struct agpu_range *tail = agpu_range_at(a, rest);
    tail->zone = range->zone;
    tail->first = range->first + pages;
    tail->pages = range->pages - pages;
    tail->used = true;
    tail->before = index;
    tail->after = range->after;
    if (range->after != NONE) {
        agpu_range_at(a, range->after)->before = rest;
    }
    range->after = rest;
    range->pages = pages;
    return rest;
}

static uint32_t find_free_range(const struct agpu_range_allocator *a, uint32_t pages)
{
    struct list_position p = list_search_start(pages);

    if (p.level < AGPU_RANGE_LEVELS) {
        uint32_t splits = a->split_map[p.level] & (0xFFu << p.split);

        if (splits != 0) {
            return a->lists[p.level][__builtin_ctz(splits)];
        }
        uint32_t levels = p.level + 1u < 32u ? a->level_map & (0xFFFFFFFFu << (p.level + 1u)) : 0u;
        if (levels != 0) {
            uint32_t level = (uint32_t)__builtin_ctz(levels);

            return a->lists[level][__builtin_ctz(a->split_map[level])];
        }
    }
    /* The good fit found nothing, but the list below may still hold a range that fits, which is worth a short
     * search. */
    p = list_position_of(pages);
    uint32_t index = a->lists[p.level][p.split];
    for (unsigned tries = 0; index != NONE && tries < 16u; tries++) {
        if (agpu_range_at(a, index)->pages >= pages) {
            return index;
        }
        index = agpu_range_at(a, index)->free_next;
    }
    return NONE;
}

uint32_t agpu_range_alloc(struct agpu_range_allocator *allocator, uint32_t pages, uint32_t align_pages)
{
    if (pages == 0 || pages > AGPU_RANGE_MAX_PAGES || align_pages == 0 ||
        align_pages > AGPU_RANGE_MAX_PAGES - pages) {
        return NONE;
    }
    uint32_t index = find_free_range(allocator, pages + align_pages - 1u);
    if (index == NONE) {
        return NONE;
    }
    unlink_free_range(allocator, index);
    struct agpu_range *range = agpu_range_at(allocator, index);
    uint32_t lead = (uint32_t)(-(int64_t)range->first & (int64_t)(align_pages - 1u));
    if (lead != 0) {
        uint32_t aligned = split_range_after(allocator, index, lead);

        link_free_range(allocator, index);
        if (aligned == NONE) {
            return NONE;
        }
        index = aligned;
        range = agpu_range_at(allocator, index);
    }
    if (range->pages > pages) {
        uint32_t rest = split_range_after(allocator, index, pages);

        if (rest == NONE) {
            agpu_range_free(allocator, index);
            return NONE;
        }
        link_free_range(allocator, rest);
    }
    return index;
}

/* Joins a free range with the free range after it; both are unlinked, and the first one remains. */
static void absorb_next_range(struct agpu_range_allocator *a, uint32_t index)
{
    struct agpu_range *range = agpu_range_at(a, index);
    uint32_t gone = range->after;
    struct agpu_range *next = agpu_range_at(a, gone);

    range->pages += next->pages;
    range->after = next->after;
    if (next->after != NONE) {
        agpu_range_at(a, next->after)->before = index;
    }
    agpu_slab_free(&a->ranges, gone);
}

uint32_t agpu_range_free(struct agpu_range_allocator *allocator, uint32_t range)
{
    struct agpu_range *self = agpu_range_at(allocator, range);

    if (self->after != NONE && !agpu_range_at(allocator, self->after)->used) {
        unlink_free_range(allocator, self->after);
        absorb_next_range(allocator, range);
    }
    if (self->before != NONE && !agpu_range_at(allocator, self->before)->used) {
        range = self->before;
        unlink_free_range(allocator, range);
        absorb_next_range(allocator, range);
    }
    link_free_range(allocator, range);
    return range;
}
