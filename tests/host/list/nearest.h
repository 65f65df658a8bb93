/* nearest.h: the names that somebody may have meant. */
#ifndef AGPU_HOST_LIST_NEAREST_H
#define AGPU_HOST_LIST_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/cases/choice/distance.h"

#define AGPU_NEAREST_MAX 4u

/* The names that are fewest changes of a letter away from one word, best first. */
struct agpu_nearest {
    char names[AGPU_NEAREST_MAX][160];
    unsigned distances[AGPU_NEAREST_MAX];
    unsigned count;
};

/* Keeps name if it is among the nearest to word so far. shown is what it is called in names; a name that is there already is
 * not taken again. */
void agpu_nearest_add(struct agpu_nearest *nearest, const char *word, const char *name, const char *shown);

/* Adds the words of a sentence, "expected off, or some of calls, state", that a reader accepts. */
void agpu_nearest_add_words(struct agpu_nearest *nearest, const char *word, const char *sentence,
                            bool (*accepts)(void *ctx, const char *word), void *ctx);

#endif
