/* nearest.c: finds the names most similar to a word. */
#include "tests/host/list/nearest.h"

#include <stdio.h>
#include <string.h>

void agpu_nearest_add(struct agpu_nearest *nearest, const char *word, const char *name, const char *shown)
{
    const unsigned distance = agpu_name_distance(word, name);
    unsigned at = nearest->count;

    for (unsigned i = 0; i < nearest->count; i++) {
        if (strcmp(nearest->names[i], shown) == 0) {
            return;
        }
    }
    while (at > 0 && nearest->distances[at - 1] > distance) {
        at--;
    }
    if (at == AGPU_NEAREST_MAX) {
        return;
    }
    nearest->count += nearest->count < AGPU_NEAREST_MAX;
    for (unsigned i = nearest->count - 1; i > at; i--) {
        memcpy(nearest->names[i], nearest->names[i - 1], sizeof nearest->names[i]);
        nearest->distances[i] = nearest->distances[i - 1];
    }
    snprintf(nearest->names[at], sizeof nearest->names[at], "%s", shown);
    nearest->distances[at] = distance;
}

void agpu_nearest_add_words(struct agpu_nearest *nearest, const char *word, const char *sentence,
                            bool (*accepts)(void *ctx, const char *word), void *ctx)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    char found[64];

    for (const char *at = sentence; *(at += strcspn(at, letters)) != '\0';) {
        const size_t length = strspn(at, letters);

        snprintf(found, sizeof found, "%.*s", (int)length, at);
        at += length;
        if (length < sizeof found && accepts(ctx, found)) {
            agpu_nearest_add(nearest, word, found, found);
        }
    }
}
