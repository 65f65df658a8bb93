/* seq_set.c: ranges of sequence numbers in an ascending array, with binary search. */
#include "tests/host/wire/seq_set.h"

#include <stdlib.h>
#include <string.h>

/* Returns the first range that ends at or after seq. */
static size_t find_stretch(const struct agpu_seq_set *set, uint64_t seq)
{
    size_t low = 0;
    size_t high = set->count;

    if (high > 0 && set->stretches[high - 1].last < seq) {
        return high; /* the usual case: records in order */
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (set->stretches[middle].last < seq) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool agpu_seq_set_has(const struct agpu_seq_set *set, uint64_t seq)
{
    const size_t at = find_stretch(set, seq);

    return at < set->count && set->stretches[at].first <= seq;
}

static void remove_stretch(struct agpu_seq_set *set, size_t at)
{
    memmove(&set->stretches[at], &set->stretches[at + 1], (set->count - at - 1) * sizeof set->stretches[0]);
    set->count--;
}

static bool insert_stretch(struct agpu_seq_set *set, size_t at, uint64_t seq)
{
    if (set->count == set->capacity) {
        const size_t capacity = set->capacity != 0 ? set->capacity * 2 : 16;
        struct agpu_seq_stretch *grown = realloc(set->stretches, capacity * sizeof *grown);

        if (grown == NULL) {
            return false;
        }
        set->stretches = grown;
        set->capacity = capacity;
    }
    memmove(&set->stretches[at + 1], &set->stretches[at], (set->count - at) * sizeof set->stretches[0]);
    set->stretches[at] = (struct agpu_seq_stretch){seq, seq};
    set->count++;
    return true;
}

bool agpu_seq_set_add(struct agpu_seq_set *set, uint64_t seq, struct agpu_seq_stretch *hole)
{
    const size_t at = find_stretch(set, seq);
    const bool follows = at > 0 && set->stretches[at - 1].last + 1 == seq;
    const bool precedes = at < set->count && set->stretches[at].first == seq + 1;

    *hole = (struct agpu_seq_stretch){1, 0};
    if (at < set->count && set->stretches[at].first <= seq) {
        return true;
    }
    if (follows && precedes) {
        set->stretches[at - 1].last = set->stretches[at].last;
        remove_stretch(set, at);
        return true;
    }
    if (follows) {
        set->stretches[at - 1].last = seq;
        return true;
    }
    if (precedes) {
        set->stretches[at].first = seq;
        return true;
    }
    if (!insert_stretch(set, at, seq)) {
        return false;
    }
    if (set->count > AGPU_SEQ_STRETCHES_MAX) {
        *hole = (struct agpu_seq_stretch){set->stretches[0].last + 1, set->stretches[1].first - 1};
        set->given_up += hole->last - hole->first + 1;
        set->stretches[1].first = set->stretches[0].first;
        remove_stretch(set, 0);
    }
    return true;
}

uint64_t agpu_seq_set_count(const struct agpu_seq_set *set, uint64_t first)
{
    uint64_t count = 0;

    for (size_t i = find_stretch(set, first); i < set->count; i++) {
        const struct agpu_seq_stretch *stretch = &set->stretches[i];

        count += stretch->last - (stretch->first > first ? stretch->first : first) + 1;
    }
    return count;
}

uint64_t agpu_seq_set_prefix(const struct agpu_seq_set *set)
{
    return set->count > 0 && set->stretches[0].first == 0 ? set->stretches[0].last + 1 : 0;
}

bool agpu_seq_set_hole(const struct agpu_seq_set *set, size_t i, struct agpu_seq_stretch *hole)
{
    const bool from_zero = set->count > 0 && set->stretches[0].first > 0;

    if (from_zero && i == 0) {
        *hole = (struct agpu_seq_stretch){0, set->stretches[0].first - 1};
        return true;
    }
    i -= from_zero;
    if (set->count < 2 || i >= set->count - 1) {
        return false;
    }
    *hole = (struct agpu_seq_stretch){set->stretches[i].last + 1, set->stretches[i + 1].first - 1};
    return true;
}

void agpu_seq_set_free(struct agpu_seq_set *set)
{
    free(set->stretches);
    *set = (struct agpu_seq_set){0};
}
