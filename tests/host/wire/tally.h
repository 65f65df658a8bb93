/* tally.h: counts texts, in logarithmic time. */
#ifndef AGPU_HOST_WIRE_TALLY_H
#define AGPU_HOST_WIRE_TALLY_H

#include <stdbool.h>
#include <stddef.h>

struct agpu_tally_entry {
    char *text;
    bool flag;
    size_t number; /* order of first appearance, from 0 */
    size_t count;  /* maintained by the caller, from 0 */
};

/* Zero-initialised is empty. */
struct agpu_tally {
    void *tree; /* tsearch(3) */
    size_t size;
};

/* Returns the entry of this text and flag, creating it if needed. NULL when memory is exhausted. */
struct agpu_tally_entry *agpu_tally_of(struct agpu_tally *tally, const char *text, bool flag);

/* Returns the existing entry, or NULL. */
struct agpu_tally_entry *agpu_tally_find(const struct agpu_tally *tally, const char *text, bool flag);

void agpu_tally_free(struct agpu_tally *tally);

#endif
