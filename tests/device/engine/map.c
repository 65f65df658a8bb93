/* map.c: open addressing with linear probing, at most half full. Removal shifts entries back, so there are no
 * tombstones. */
#include "tests/device/engine/map.h"

#include <stdlib.h>

#include "tests/device/bus/archive.h"
#include "tests/device/engine/hash.h"

#define FIRST_SLOTS 64u

void vgpu_map_init(struct vgpu_map *map, uint64_t seed)
{
    *map = (struct vgpu_map){.seed = seed};
}

void vgpu_map_free(struct vgpu_map *map)
{
    free(map->slots);
    *map = (struct vgpu_map){.seed = map->seed};
}

static size_t home_slot(const struct vgpu_map *map, uint64_t key)
{
    return (size_t)vgpu_hash(key, map->seed) & map->mask;
}

/* Returns the slot of key, or the free slot for it. */
static struct vgpu_map_slot *locate_key(const struct vgpu_map *map, uint64_t key)
{
    size_t i = home_slot(map, key);

    while (map->slots[i].value != NULL && map->slots[i].key != key) {
        i = (i + 1) & map->mask;
    }
    return &map->slots[i];
}

void *vgpu_map_find(const struct vgpu_map *map, uint64_t key)
{
    return map->slots != NULL ? locate_key(map, key)->value : NULL;
}

static bool grow_map(struct vgpu_map *map)
{
    const size_t old_slots = map->slots != NULL ? map->mask + 1 : 0;
    const size_t slots = old_slots > 0 ? old_slots * 2 : FIRST_SLOTS;
    struct vgpu_map bigger = *map;

    bigger.slots = calloc(slots, sizeof *bigger.slots);
    bigger.mask = slots - 1;
    if (bigger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < old_slots; i++) {
        if (map->slots[i].value != NULL) {
            *locate_key(&bigger, map->slots[i].key) = map->slots[i];
        }
    }
    free(map->slots);
    *map = bigger;
    return true;
}

bool vgpu_map_set(struct vgpu_map *map, uint64_t key, void *value)
{
    struct vgpu_map_slot *slot;

    if ((map->slots == NULL || map->count * 2 > map->mask) && !grow_map(map)) {
        return false;
    }
    slot = locate_key(map, key);
    if (slot->value == NULL) {
        map->count++;
    }
    *slot = (struct vgpu_map_slot){key, value};
    return true;
}

void vgpu_map_remove(struct vgpu_map *map, uint64_t key)
{
    size_t hole;

    if (map->slots == NULL || locate_key(map, key)->value == NULL) {
        return;
    }
    hole = (size_t)(locate_key(map, key) - map->slots);
    map->count--;
    for (size_t i = (hole + 1) & map->mask; map->slots[i].value != NULL; i = (i + 1) & map->mask) {
        const size_t distance = (i - home_slot(map, map->slots[i].key)) & map->mask;

        if (distance >= ((i - hole) & map->mask)) { /* its probe passed the hole */
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    }
    map->slots[hole].value = NULL;
}

const struct vgpu_map_slot *vgpu_map_next(const struct vgpu_map *map, size_t *position)
{
    const size_t slots = map->slots != NULL ? map->mask + 1 : 0;

    while (*position < slots) {
        const struct vgpu_map_slot *slot = &map->slots[(*position)++];

        if (slot->value != NULL) {
            return slot;
        }
    }
    return NULL;
}

void vgpu_map_visit(struct vgpu_map *map, struct vgpu_archive *archive, uint64_t most,
                    void (*visit)(void *ctx, struct vgpu_archive *archive, uint64_t key, void *value),
                    void *ctx)
{
    const uint64_t count = vgpu_archive_number(archive, "number of objects", map->count, UINT32_MAX);
    size_t position = 0;

    for (uint64_t i = 0; i < count && vgpu_archive_good(archive); i++) {
        const struct vgpu_map_slot *slot = archive->loading ? NULL : vgpu_map_next(map, &position);
        const uint64_t key = vgpu_archive_number(archive, "handle", slot != NULL ? slot->key : 0, most);

        if (vgpu_archive_expect(archive, key != 0, "handles other than 0")) {
            visit(ctx, archive, key, vgpu_map_find(map, key));
        }
    }
}
