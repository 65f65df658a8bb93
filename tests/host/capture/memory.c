/* memory.c: mappings sorted by address. */
#include "tests/host/capture/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE         4096u
#define LINE         64u
#define REGIONS_MOST 65536u

struct agpu_capture_memory {
    struct agpu_capture_region *regions;
    size_t count, capacity;
    uint64_t mapped, touched, touched_most;
    char error[200];
};

struct agpu_capture_memory *agpu_capture_memory_create(uint64_t touched_most)
{
    struct agpu_capture_memory *memory = calloc(1, sizeof *memory);

    if (memory != NULL) {
        memory->touched_most = touched_most;
    }
    return memory;
}

static uint64_t pages_of(const struct agpu_capture_region *region)
{
    return region->size / PAGE + (region->size % PAGE != 0);
}

static void free_region(struct agpu_capture_memory *memory, struct agpu_capture_region *region)
{
    for (uint64_t i = 0; i < pages_of(region); i++) {
        memory->touched -= region->known[i] != 0 ? PAGE : 0;
    }
    memory->mapped -= region->size;
    free(region->bytes);
    free(region->known);
}

void agpu_capture_memory_clear(struct agpu_capture_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) {
        free_region(memory, &memory->regions[i]);
    }
    memory->count = 0;
}

void agpu_capture_memory_destroy(struct agpu_capture_memory *memory)
{
    if (memory != NULL) {
        agpu_capture_memory_clear(memory);
        free(memory->regions);
        free(memory);
    }
}

const struct agpu_capture_region *agpu_capture_memory_regions(const struct agpu_capture_memory *memory,
                                                              size_t *count)
{
    *count = memory->count;
    return memory->regions;
}

/* Returns the index of the first mapping that ends after address. */
static size_t place_of(const struct agpu_capture_memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (memory->regions[middle].address + memory->regions[middle].size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct agpu_capture_region *agpu_capture_memory_find(const struct agpu_capture_memory *memory,
                                                     uint64_t address)
{
    const size_t at = place_of(memory, address);

    return at < memory->count && memory->regions[at].address <= address ? &memory->regions[at] : NULL;
}

uint8_t *agpu_capture_memory_pointer(const struct agpu_capture_memory *memory, uint64_t address,
                                     uint64_t size)
{
    const struct agpu_capture_region *region = agpu_capture_memory_find(memory, address);

    return region != NULL && size <= region->size - (address - region->address)
               ? region->bytes + (address - region->address)
               : NULL;
}

static bool is_known(const struct agpu_capture_region *region, uint64_t from, uint64_t size)
{
    if (region->kind != AGPU_CAPTURE_UNKNOWN) {
        return true;
    }
    for (uint64_t line = from / LINE; line <= (from + size - 1) / LINE; line++) {
        if ((region->known[line / 64] >> line % 64 & 1) == 0) {
            return false;
        }
    }
    return true;
}

bool agpu_capture_memory_read(const struct agpu_capture_memory *memory, uint64_t address, void *to,
                              uint64_t size)
{
    uint8_t *out = to;
    bool known = true;

    while (size > 0) {
        const size_t at = place_of(memory, address);
        const struct agpu_capture_region *region = at < memory->count ? &memory->regions[at] : NULL;
        uint64_t piece = size;

        if (region != NULL && region->address <= address) {
            const uint64_t from = address - region->address;

            piece = size < region->size - from ? size : region->size - from;
            memcpy(out, region->bytes + from, piece);
            known = is_known(region, from, piece) && known;
        } else {
            if (region != NULL && region->address - address < piece) {
                piece = region->address - address;
            }
            memset(out, 0, piece);
            known = false;
        }
        out += piece;
        size -= piece;
        if (piece > UINT64_MAX - address) {
            return false;
        }
        address += piece;
    }
    return known;
}

/* ---- applying records ---- */

static const char *refuse(struct agpu_capture_memory *memory, const char *what, uint64_t address,
                          uint64_t size)
{
    snprintf(memory->error, sizeof memory->error, "%s: 0x%" PRIx64 ", 0x%" PRIx64 " bytes", what, address,
             size);
    return memory->error;
}

static const char *map(struct agpu_capture_memory *memory, const struct agpu_capture_map *recorded)
{
    const size_t at = place_of(memory, recorded->address);
    struct agpu_capture_region region = {.address = recorded->address,
                                         .size = recorded->size,
                                         .kind = (enum agpu_capture_map_kind)recorded->kind,
                                         .bar = recorded->bar};

    if (at < memory->count && memory->regions[at].address < recorded->address + recorded->size) {
        return refuse(memory, "memory is mapped twice", recorded->address, recorded->size);
    }
    if (memory->count == REGIONS_MOST || recorded->size > AGPU_CAPTURE_MAPPED_MOST - memory->mapped) {
        return refuse(memory, "more memory is mapped than this program supports", recorded->address,
                      recorded->size);
    }
    if (memory->count == memory->capacity) {
        const size_t capacity = memory->capacity != 0 ? 2 * memory->capacity : 64;
        void *grown = realloc(memory->regions, capacity * sizeof *memory->regions);

        if (grown == NULL) {
            return "no memory";
        }
        memory->regions = grown;
        memory->capacity = capacity;
    }
    region.bytes = calloc(1, recorded->size);
    region.known = calloc(pages_of(&region), sizeof *region.known);
    if (region.bytes == NULL || region.known == NULL) {
        free(region.bytes);
        free(region.known);
        return refuse(memory, "no memory for a mapping", recorded->address, recorded->size);
    }
    memmove(&memory->regions[at + 1], &memory->regions[at], (memory->count - at) * sizeof *memory->regions);
    memory->regions[at] = region;
    memory->count++;
    memory->mapped += recorded->size;
    return NULL;
}

static const char *unmap(struct agpu_capture_memory *memory, const struct agpu_capture_map *recorded)
{
    const size_t at = place_of(memory, recorded->address);

    if (at >= memory->count || memory->regions[at].address != recorded->address ||
        memory->regions[at].size != recorded->size) {
        return refuse(memory, "memory is unmapped that was not mapped with this size", recorded->address,
                      recorded->size);
    }
    free_region(memory, &memory->regions[at]);
    memory->count--;
    memmove(&memory->regions[at], &memory->regions[at + 1], (memory->count - at) * sizeof *memory->regions);
    return NULL;
}

/* Returns false when the limit is exceeded. */
static bool touch(struct agpu_capture_memory *memory, struct agpu_capture_region *region, uint64_t from,
                  uint64_t size)
{
    for (uint64_t line = from / LINE; line <= (from + size - 1) / LINE; line++) {
        uint64_t *word = &region->known[line / 64];

        memory->touched += *word == 0 ? PAGE : 0;
        *word |= UINT64_C(1) << line % 64;
    }
    return memory->touched <= memory->touched_most;
}

static const char *write_bytes(struct agpu_capture_memory *memory, uint64_t address, const uint8_t *bytes,
                               uint64_t size)
{
    while (size > 0) {
        struct agpu_capture_region *region = agpu_capture_memory_find(memory, address);
        uint64_t from, piece;

        if (region == NULL) {
            return refuse(memory, "contents of memory that is not mapped", address, size);
        }
        from = address - region->address;
        piece = size < region->size - from ? size : region->size - from;
        if (!touch(memory, region, from, piece)) {
            return refuse(memory, "more memory has contents than this program supports", address, size);
        }
        memcpy(region->bytes + from, bytes, piece);
        bytes += piece;
        address += piece;
        size -= piece;
    }
    return NULL;
}

const char *agpu_capture_memory_apply(struct agpu_capture_memory *memory,
                                      const struct agpu_capture_item *item)
{
    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
    case AGPU_CAPTURE_CASE:
        agpu_capture_memory_clear(memory);
        return NULL;
    case AGPU_CAPTURE_MAP:
        return map(memory, item->map);
    case AGPU_CAPTURE_UNMAP:
        return unmap(memory, item->map);
    case AGPU_CAPTURE_CONTENTS:
    case AGPU_CAPTURE_CHANGED:
        return write_bytes(memory, item->bytes->address, item->tail, item->bytes->size);
    default:
        return NULL;
    }
}
