/* seq_map.c: arrived sequence numbers as contiguous ranges, and a window of the latest entries. */
#include "tests/host/wire/seq_map.h"

#include <stdlib.h>

uint32_t agpu_seq_hash(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a: it compares copies of a record; it need not resist an attacker */

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    }
    return hash;
}

static struct agpu_seq_entry *entry_of(const struct agpu_seq_map *map, uint64_t seq)
{
    return &map->entries[seq < AGPU_SEQ_HEAD ? seq : AGPU_SEQ_HEAD + seq % AGPU_SEQ_WINDOW];
}

enum agpu_seq_known agpu_seq_map_get(const struct agpu_seq_map *map, uint64_t seq,
                                     const struct agpu_seq_entry **entry)
{
    *entry = NULL;
    if (!agpu_seq_set_has(&map->all, seq)) {
        return AGPU_SEQ_UNSEEN;
    }
    if (!entry_of(map, seq)->used || entry_of(map, seq)->seq != seq) {
        return AGPU_SEQ_SEEN_ONCE;
    }
    *entry = entry_of(map, seq);
    return AGPU_SEQ_SEEN;
}

bool agpu_seq_map_add(struct agpu_seq_map *map, uint64_t seq, unsigned source, uint64_t t_us, uint32_t hash,
                      struct agpu_seq_stretch *hole)
{
    struct agpu_seq_stretch unused;

    *hole = (struct agpu_seq_stretch){1, 0};
    if (map->entries == NULL) {
        map->entries = calloc(AGPU_SEQ_HEAD + AGPU_SEQ_WINDOW, sizeof *map->entries);
    }
    if (map->entries == NULL || !agpu_seq_set_add(&map->all, seq, hole) ||
        !agpu_seq_set_add(&map->from[source], seq, &unused)) {
        return false;
    }
    struct agpu_seq_entry *entry = entry_of(map, seq);
    if (!entry->used || entry->seq < seq) { /* a straggler does not replace a later entry */
        *entry = (struct agpu_seq_entry){.seq = seq, .t_us = t_us, .hash = hash, .used = true};
    }
    return true;
}

void agpu_seq_map_copy(struct agpu_seq_map *map, uint64_t seq, unsigned source)
{
    struct agpu_seq_stretch unused;

    agpu_seq_set_add(&map->from[source], seq, &unused);
}

uint64_t agpu_seq_map_lacking(const struct agpu_seq_map *map, unsigned source)
{
    const struct agpu_seq_set *of_source = &map->from[source];

    if (of_source->count == 0) {
        return 0;
    }
    const uint64_t begun = of_source->stretches[0].first;
    const uint64_t all = agpu_seq_set_count(&map->all, begun) - map->all.given_up;
    const uint64_t delivered = agpu_seq_set_count(of_source, begun) - of_source->given_up;

    return all > delivered ? all - delivered : 0;
}

void agpu_seq_map_free(struct agpu_seq_map *map)
{
    agpu_seq_set_free(&map->all);
    for (size_t i = 0; i < AGPU_SEQ_SOURCES; i++) {
        agpu_seq_set_free(&map->from[i]);
    }
    free(map->entries);
    *map = (struct agpu_seq_map){0};
}
