/* seq_map.h: which sequence numbers of one boot of a machine arrived, to drop second copies and to name the
 * holes; and what the latest of them were, to tell a copy from another story. Bounded memory. */
#ifndef AGPU_HOST_WIRE_SEQ_MAP_H
#define AGPU_HOST_WIRE_SEQ_MAP_H

#include "tests/host/wire/seq_set.h"

#define AGPU_SEQ_SOURCES 4
/* The first records of a boot, by which a restart is told from a copy, and the latest. */
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
    struct agpu_seq_set from[AGPU_SEQ_SOURCES]; /* what each source delivered */
    struct agpu_seq_entry *entries; /* AGPU_SEQ_HEAD, then AGPU_SEQ_WINDOW, by the number's remainder */
};

enum agpu_seq_known {
    AGPU_SEQ_UNSEEN,
    AGPU_SEQ_SEEN,     /* and *entry says what it was */
    AGPU_SEQ_SEEN_ONCE /* so long ago that what it was is not kept */
};

/* Two copies of one record agree in both. */
uint32_t agpu_seq_hash(const char *text, size_t length);

enum agpu_seq_known agpu_seq_map_get(const struct agpu_seq_map *map, uint64_t seq,
                                     const struct agpu_seq_entry **entry);

/* Marks seq (not seen yet) as delivered by source. *hole as agpu_seq_set_add(). False when memory is exhausted. */
bool agpu_seq_map_add(struct agpu_seq_map *map, uint64_t seq, unsigned source, uint64_t t_us, uint32_t hash,
                      struct agpu_seq_stretch *hole);

/* Notes another delivery of seq, which was seen. */
void agpu_seq_map_copy(struct agpu_seq_map *map, uint64_t seq, unsigned source);

/* How many of the numbers seen, from the first that source delivered on, source did not deliver. */
uint64_t agpu_seq_map_lacking(const struct agpu_seq_map *map, unsigned source);

void agpu_seq_map_free(struct agpu_seq_map *map);

#endif
