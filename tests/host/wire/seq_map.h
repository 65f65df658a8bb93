/* seq_map.h: which sequence numbers of one boot of a machine arrived, to drop second copies and to name the
 * holes. */
#ifndef AGPU_HOST_WIRE_SEQ_MAP_H
#define AGPU_HOST_WIRE_SEQ_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agpu_seq_entry {
    uint64_t t_us;
    uint32_t hash;
    uint8_t sources; /* bit n: source n delivered it; 0 = not seen */
};

/* Zero-initialised is empty. 16 bytes a sequence number, which the packet parser bounds (AGPU_SEQ_LIMIT). */
struct agpu_seq_map {
    struct agpu_seq_entry *entries;
    size_t end; /* highest number seen + 1 */
    size_t capacity;
    size_t received; /* different numbers seen */
    size_t prefix;   /* every number below it was seen */
};

/* Two copies of one record agree in both. */
uint32_t agpu_seq_hash(const char *text, size_t length);

/* The entry for seq if it was seen, else NULL. */
const struct agpu_seq_entry *agpu_seq_map_get(const struct agpu_seq_map *map, uint64_t seq);

/* Marks seq (below AGPU_SEQ_LIMIT, not seen yet) as delivered by source. False when memory is exhausted. */
bool agpu_seq_map_add(struct agpu_seq_map *map, uint64_t seq, unsigned source, uint64_t t_us, uint32_t hash);

/* Notes another delivery of seq, which was seen. */
void agpu_seq_map_copy(struct agpu_seq_map *map, uint64_t seq, unsigned source);

/* How many of the numbers seen, from the first that source delivered on, source did not deliver. */
size_t agpu_seq_map_lacking(const struct agpu_seq_map *map, unsigned source);

/* The first hole at or after from: [*first, *last]. False when there is none below end. */
bool agpu_seq_map_hole(const struct agpu_seq_map *map, size_t from, uint64_t *first, uint64_t *last);

void agpu_seq_map_free(struct agpu_seq_map *map);

#endif
