/* seq_map.c: arrived sequence numbers in a growing array, and the holes between them. */
#include "tests/host/wire/seq_map.h"

#include <stdlib.h>
#include <string.h>

uint32_t agpu_seq_hash(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a: it compares copies of a record, no adversaries */

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    }
    return hash;
}

const struct agpu_seq_entry *agpu_seq_map_get(const struct agpu_seq_map *map, uint64_t seq)
{
    return seq < map->end && map->entries[seq].sources ? &map->entries[seq] : NULL;
}

static bool reserve_slots(struct agpu_seq_map *map, size_t wanted)
{
    if (wanted <= map->capacity) {
        return true;
    }
    size_t capacity = map->capacity ? map->capacity : 256;
    while (capacity < wanted) {
        capacity *= 2;
    }
    struct agpu_seq_entry *entries = realloc(map->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    memset(entries + map->capacity, 0, (capacity - map->capacity) * sizeof *entries);
    map->entries = entries;
    map->capacity = capacity;
    return true;
}

bool agpu_seq_map_add(struct agpu_seq_map *map, uint64_t seq, unsigned source, uint64_t t_us, uint32_t hash)
{
    size_t at = (size_t)seq;

    if (!reserve_slots(map, at + 1)) {
        return false;
    }
    map->entries[at] =
        (struct agpu_seq_entry){.t_us = t_us, .hash = hash, .sources = (uint8_t)(1u << source)};
    map->received++;
    if (at >= map->end) {
        map->end = at + 1;
    }
    while (map->prefix < map->end && map->entries[map->prefix].sources) {
        map->prefix++;
    }
    return true;
}

void agpu_seq_map_copy(struct agpu_seq_map *map, uint64_t seq, unsigned source)
{
    map->entries[seq].sources = (uint8_t)(map->entries[seq].sources | 1u << source);
}

size_t agpu_seq_map_lacking(const struct agpu_seq_map *map, unsigned source)
{
    size_t lacking = 0;
    bool begun = false;

    for (size_t i = 0; i < map->end; i++) {
        bool delivered = map->entries[i].sources >> source & 1;

        begun = begun || delivered;
        lacking += begun && map->entries[i].sources && !delivered;
    }
    return lacking;
}

bool agpu_seq_map_hole(const struct agpu_seq_map *map, size_t from, uint64_t *first, uint64_t *last)
{
    size_t at = from > map->prefix ? from : map->prefix;

    while (at < map->end && map->entries[at].sources) {
        at++;
    }
    if (at >= map->end) {
        return false;
    }
    *first = at;
    while (at < map->end && !map->entries[at].sources) {
        at++;
    }
    *last = at - 1;
    return true;
}

void agpu_seq_map_free(struct agpu_seq_map *map)
{
    free(map->entries);
    *map = (struct agpu_seq_map){0};
}
