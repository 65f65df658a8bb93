/* dma.c: the sorted table of DMA maps and its lookup. */
#include "tests/device/vfio/dma.h"

#include <errno.h>
#include <string.h>

void vgpu_vfio_dma_init(struct vgpu_vfio_dma *dma)
{
    dma->count = 0;
    dma->last_hit = 0;
    dma->reach = 0;
}

/* Returns the index of the first map that ends above address; count when there is none. */
static size_t first_ending_above(const struct vgpu_vfio_dma *dma, uint64_t address)
{
    size_t low = 0, high = dma->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct vgpu_vfio_map *map = &dma->maps[middle];

        if (map->address + (map->size - 1) < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int vgpu_vfio_dma_add(struct vgpu_vfio_dma *dma, const struct vgpu_vfio_map *map)
{
    size_t place;

    /* A range that ends exactly at 2^64 counts as wrapping (device.md 0): 64 bits cannot hold its end. */
    if (map->size == 0 || map->address > UINT64_MAX - map->size) {
        return EINVAL;
    }
    place = first_ending_above(dma, map->address);
    if (place < dma->count && dma->maps[place].address < map->address + map->size) {
        return EEXIST;
    }
    if (dma->count == VGPU_VFIO_MAX_MAPS) {
        return ENOSPC;
    }
    memmove(&dma->maps[place + 1], &dma->maps[place], (dma->count - place) * sizeof dma->maps[0]);
    dma->maps[place] = *map;
    dma->count++;
    dma->reach += map->host != NULL ? map->size : 0;
    return 0;
}

int vgpu_vfio_dma_remove(struct vgpu_vfio_dma *dma, uint64_t address, uint64_t size,
                         void (*taken)(void *ctx, const struct vgpu_vfio_map *map), void *ctx)
{
    const uint64_t last = address + (size - 1);
    size_t first, end;

    if (size == 0 || last < address) {
        return EINVAL;
    }
    first = first_ending_above(dma, address);
    end = first_ending_above(dma, last);
    if (first < dma->count && dma->maps[first].address < address) {
        return EINVAL;
    }
    if (end < dma->count && dma->maps[end].address <= last) {
        if (dma->maps[end].address + (dma->maps[end].size - 1) > last) {
            return EINVAL;
        }
        end++;
    }
    for (size_t i = first; i < end; i++) {
        dma->reach -= dma->maps[i].host != NULL ? dma->maps[i].size : 0;
        taken(ctx, &dma->maps[i]);
    }
    memmove(&dma->maps[first], &dma->maps[end], (dma->count - end) * sizeof dma->maps[0]);
    dma->count -= end - first;
    return 0;
}

bool vgpu_vfio_dma_pop(struct vgpu_vfio_dma *dma, struct vgpu_vfio_map *removed)
{
    if (dma->count == 0) {
        return false;
    }
    *removed = dma->maps[--dma->count];
    dma->reach -= removed->host != NULL ? removed->size : 0;
    return true;
}

static bool map_contains(const struct vgpu_vfio_map *map, uint64_t address)
{
    return address >= map->address && address - map->address < map->size;
}

/* Returns the map that contains address if this access is allowed, else NULL. */
static const struct vgpu_vfio_map *reach_map(struct vgpu_vfio_dma *dma, uint64_t address, bool write)
{
    const struct vgpu_vfio_map *map;

    if (dma->last_hit >= dma->count || !map_contains(&dma->maps[dma->last_hit], address)) {
        const size_t place = first_ending_above(dma, address);

        if (place == dma->count || !map_contains(&dma->maps[place], address)) {
            return NULL;
        }
        dma->last_hit = place;
    }
    map = &dma->maps[dma->last_hit];
    if (map->host == NULL || !(write ? map->writable : map->readable)) {
        return NULL;
    }
    return map;
}

void *vgpu_vfio_dma_pointer(struct vgpu_vfio_dma *dma, uint64_t address, uint64_t size, bool write)
{
    const struct vgpu_vfio_map *map = reach_map(dma, address, write);

    if (map == NULL || size > map->size - (address - map->address)) {
        return NULL;
    }
    return map->host + (address - map->address);
}

uint64_t vgpu_vfio_dma_extent(struct vgpu_vfio_dma *dma, uint64_t address, bool write)
{
    const struct vgpu_vfio_map *map = reach_map(dma, address, write);

    return map == NULL ? 0 : map->size - (address - map->address);
}
