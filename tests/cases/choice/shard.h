/* shard.h: a part of the cases, for one of several machines that share them. Freestanding. */
#ifndef AGPU_CASES_CHOICE_SHARD_H
#define AGPU_CASES_CHOICE_SHARD_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_SHARDS_MAX     1000u
#define AGPU_SHARD_EXPECTED "expected I/N, the I-th of N parts, from 1/1 to 1000/1000"

/* Every count-th case, beginning with number; count 0: all. */
struct agpu_shard {
    unsigned number; /* from 1 */
    unsigned count;
};

/* "2/4". False, and out unchanged, when it is none. */
bool agpu_shard_read(const char *text, size_t size, struct agpu_shard *out);

/* Is the case with this place, counted from 0 among all that are chosen otherwise, in the part? */
bool agpu_shard_takes(const struct agpu_shard *shard, unsigned place);

#endif
