/* nearest.h: suggests the names most similar to a mistyped word. */
#ifndef AGPU_HOST_LIST_NEAREST_H
#define AGPU_HOST_LIST_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/cases/choice/distance.h"

#define AGPU_NEAREST_MAX 4u

/* The names with the smallest edit distance to a word, best first. */
struct agpu_nearest {
    char names[AGPU_NEAREST_MAX][160];
    unsigned distances[AGPU_NEAREST_MAX];
    unsigned count;
};

/* Adds name if it is among the nearest to word so far. shown is the text stored in names; one that is already there
 * is not added again. */
void agpu_nearest_add(struct agpu_nearest *nearest, const char *word, const char *name, const char *shown);

/* Adds the accepted words from a reader's message, "expected off, or some of calls, state". */
void agpu_nearest_add_words(struct agpu_nearest *nearest, const char *word, const char *sentence,
                            bool (*accepts)(void *ctx, const char *word), void *ctx);

#endif
