/* map.h: hash map from 64-bit keys to pointers, for handles and share tokens: flat cost at any size, no
 * order. */
#ifndef VGPU_ENGINE_MAP_H
#define VGPU_ENGINE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_map_slot {
    uint64_t key;
    void *value; /* NULL = free slot */
};

struct vgpu_map {
    struct vgpu_map_slot *slots;
    size_t mask; /* number of slots - 1; 0 while there are none */
    size_t count;
    uint64_t seed;
};

/* An empty map; seed should not be known to the guest. */
void vgpu_map_init(struct vgpu_map *map, uint64_t seed);

/* Frees the slots, not the values. */
void vgpu_map_free(struct vgpu_map *map);

/* The value of key, NULL when absent. */
void *vgpu_map_find(const struct vgpu_map *map, uint64_t key);

/* Adds or replaces; value is not NULL. False when memory is exhausted, the map unchanged. */
bool vgpu_map_set(struct vgpu_map *map, uint64_t key, void *value);

/* Removes key if present. */
void vgpu_map_remove(struct vgpu_map *map, uint64_t key);

/* Iterates: the first used slot from *position on, which moves past it; NULL at the end. Not to be mixed with
 * changes. */
const struct vgpu_map_slot *vgpu_map_next(const struct vgpu_map *map, size_t *position);

#endif
