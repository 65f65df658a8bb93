/* seq_set.h: a set of sequence numbers, stored as contiguous ranges in bounded memory. */
#ifndef AGPU_HOST_WIRE_SEQ_SET_H
#define AGPU_HOST_WIRE_SEQ_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond this many ranges the oldest hole is filled; what arrives for it later is taken for a copy. */
#define AGPU_SEQ_STRETCHES_MAX 16384

struct agpu_seq_stretch {
    uint64_t first;
    uint64_t last;
};

/* Zero-initialised is empty. */
struct agpu_seq_set {
    struct agpu_seq_stretch *stretches; /* ascending, never adjacent */
    size_t count;
    size_t capacity;
    uint64_t given_up; /* numbers in filled holes; they count as members */
};

bool agpu_seq_set_has(const struct agpu_seq_set *set, uint64_t seq);

/* Adds seq, member or not. Returns false when memory is exhausted. A hole that had to be filled is stored in *hole;
 * otherwise first of *hole is above its last. */
bool agpu_seq_set_add(struct agpu_seq_set *set, uint64_t seq, struct agpu_seq_stretch *hole);

/* Returns the number of members from first on. */
uint64_t agpu_seq_set_count(const struct agpu_seq_set *set, uint64_t first);

/* Returns the first number that is not a member. */
uint64_t agpu_seq_set_prefix(const struct agpu_seq_set *set);

/* Returns hole number i, counted from 0; the first starts at 0 when 0 is not a member. False when there are fewer
 * holes. */
bool agpu_seq_set_hole(const struct agpu_seq_set *set, size_t i, struct agpu_seq_stretch *hole);

void agpu_seq_set_free(struct agpu_seq_set *set);

#endif
