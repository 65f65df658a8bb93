/* map.h: hash map from 64-bit keys to pointers, for handles and share tokens. Constant cost at any size;
 * unordered. */
#ifndef VGPU_ENGINE_MAP_H
#define VGPU_ENGINE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_archive;

struct vgpu_map_slot {
    uint64_t key;
    void *value; /* NULL = free slot */
};

struct vgpu_map {
    struct vgpu_map_slot *slots;
    size_t mask; /* number of slots - 1; 0 without slots */
    size_t count;
    uint64_t seed;
};

/* Initialises an empty map. The guest should not know seed. */
void vgpu_map_init(struct vgpu_map *map, uint64_t seed);

/* Frees the slots, not the values. */
void vgpu_map_free(struct vgpu_map *map);

/* Returns the value of key, NULL when absent. */
void *vgpu_map_find(const struct vgpu_map *map, uint64_t key);

/* Adds or replaces a value, which is not NULL. Returns false, with the map unchanged, when memory is
 * exhausted. */
bool vgpu_map_set(struct vgpu_map *map, uint64_t key, void *value);

/* Removes key if present. */
void vgpu_map_remove(struct vgpu_map *map, uint64_t key);

/* Iterates: returns the first used slot at or after *position and moves *position past it; NULL at the end.
 * The map must not change meanwhile. */
const struct vgpu_map_slot *vgpu_map_next(const struct vgpu_map *map, size_t *position);

/* Visits the entries for save and restore: calls visit for each, with its value. While loading, value is NULL when the
 * map does not have the key yet; visit adds it. A key is at most `most`. */
void vgpu_map_visit(struct vgpu_map *map, struct vgpu_archive *archive, uint64_t most,
                    void (*visit)(void *ctx, struct vgpu_archive *archive, uint64_t key, void *value),
                    void *ctx);

#endif
