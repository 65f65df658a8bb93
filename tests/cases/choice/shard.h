/* shard.h: the part of the cases that one of several machines runs. Freestanding. */
#ifndef AGPU_CASES_CHOICE_SHARD_H
#define AGPU_CASES_CHOICE_SHARD_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_SHARDS_MAX     1000u
#define AGPU_SHARD_EXPECTED "expected I/N, the I-th of N parts, from 1/1 to 1000/1000"

/* Every count-th case, starting with case `number`. A count of 0 means all cases. */
struct agpu_shard {
    unsigned number; /* counted from 1 */
    unsigned count;
};

/* Parses "2/4". Returns false and leaves out unchanged if the text is invalid. */
bool agpu_shard_read(const char *text, size_t size, struct agpu_shard *out);

/* Returns true if the shard contains the case at this place, counted from 0 among all cases that are selected
 * otherwise. */
bool agpu_shard_takes(const struct agpu_shard *shard, unsigned place);

#endif
