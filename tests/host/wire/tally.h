/* tally.h: things counted by a text, in logarithmic time however many texts there are. */
#ifndef AGPU_HOST_WIRE_TALLY_H
#define AGPU_HOST_WIRE_TALLY_H

#include <stdbool.h>
#include <stddef.h>

struct agpu_tally_entry {
    char *text;
    bool flag;
    size_t number; /* in the order of their first appearance, from 0 */
    size_t count;  /* the caller's, from 0 */
};

/* Zero-initialised is empty. */
struct agpu_tally {
    void *tree; /* tsearch(3) */
    size_t size;
};

/* The entry of this text and flag, made when it is not there. NULL when memory is exhausted. */
struct agpu_tally_entry *agpu_tally_of(struct agpu_tally *tally, const char *text, bool flag);

/* The same, NULL when it is not there. */
struct agpu_tally_entry *agpu_tally_find(const struct agpu_tally *tally, const char *text, bool flag);

void agpu_tally_free(struct agpu_tally *tally);

#endif
