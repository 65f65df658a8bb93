/* seq_map.h: the sequence numbers of one boot that have arrived: detects copies and holes. Content hashes of the
 * latest records tell a copy from a different record with the same number. Bounded memory. */
#ifndef AGPU_HOST_WIRE_SEQ_MAP_H
#define AGPU_HOST_WIRE_SEQ_MAP_H

#include "tests/host/wire/seq_set.h"

#define AGPU_SEQ_SOURCES 4
/* The first records of a boot, which tell a restart from a copy, and the latest. */
#define AGPU_SEQ_HEAD   64
#define AGPU_SEQ_WINDOW 4096

struct agpu_seq_entry {
    uint64_t seq;
    uint64_t t_us;
    uint32_t hash;
    bool used;
};

/* Zero-initialised is empty. */
struct agpu_seq_map {
    struct agpu_seq_set all;
    struct agpu_seq_set from[AGPU_SEQ_SOURCES]; /* numbers delivered by each source */
    /* AGPU_SEQ_HEAD, then AGPU_SEQ_WINDOW, indexed by the number's remainder */
    struct agpu_seq_entry *entries;
};

enum agpu_seq_known {
    AGPU_SEQ_UNSEEN,
    AGPU_SEQ_SEEN,     /* *entry describes it */
    AGPU_SEQ_SEEN_ONCE /* seen so long ago that its entry is gone */
};

/* Hash of a text. Two copies of a record agree in the hash and in t_us. */
uint32_t agpu_seq_hash(const char *text, size_t length);

enum agpu_seq_known agpu_seq_map_get(const struct agpu_seq_map *map, uint64_t seq,
                                     const struct agpu_seq_entry **entry);

/* Marks seq (not seen yet) as delivered by source. *hole as in agpu_seq_set_add(). Returns false when memory is
 * exhausted. */
bool agpu_seq_map_add(struct agpu_seq_map *map, uint64_t seq, unsigned source, uint64_t t_us, uint32_t hash,
                      struct agpu_seq_stretch *hole);

/* Notes another delivery of a seq that was already seen. */
void agpu_seq_map_copy(struct agpu_seq_map *map, uint64_t seq, unsigned source);

/* Returns how many seen numbers source did not deliver, counted from the first that it delivered. */
uint64_t agpu_seq_map_lacking(const struct agpu_seq_map *map, unsigned source);

void agpu_seq_map_free(struct agpu_seq_map *map);

#endif
