/* seq_set.h: a set of sequence numbers as the stretches without a hole, in bounded memory. */
#ifndef AGPU_HOST_WIRE_SEQ_SET_H
#define AGPU_HOST_WIRE_SEQ_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More than this many stretches: the oldest hole is given up, and what arrives for it later is taken for a copy. */
#define AGPU_SEQ_STRETCHES_MAX 16384

struct agpu_seq_stretch {
    uint64_t first;
    uint64_t last;
};

/* Zero-initialised is empty. */
struct agpu_seq_set {
    struct agpu_seq_stretch *stretches; /* ascending, never touching */
    size_t count;
    size_t capacity;
    uint64_t given_up; /* numbers in holes that were given up; they count as members */
};

bool agpu_seq_set_has(const struct agpu_seq_set *set, uint64_t seq);

/* Adds seq, whether it is a member or not. False when memory is exhausted. When a hole has to be given up it is put into
 * *hole, whose first is otherwise above its last. */
bool agpu_seq_set_add(struct agpu_seq_set *set, uint64_t seq, struct agpu_seq_stretch *hole);

/* Members from first on. */
uint64_t agpu_seq_set_count(const struct agpu_seq_set *set, uint64_t first);

/* Every number below it is a member. */
uint64_t agpu_seq_set_prefix(const struct agpu_seq_set *set);

/* Hole number i, counted from 0: the first begins at 0 when 0 is no member. False when there are not so many. */
bool agpu_seq_set_hole(const struct agpu_seq_set *set, size_t i, struct agpu_seq_stretch *hole);

void agpu_seq_set_free(struct agpu_seq_set *set);

#endif
