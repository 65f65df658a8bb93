/* nearest.c: distances between names. */
#include "tests/host/list/nearest.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 150u

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned agpu_name_distance(const char *a, const char *b)
{
    unsigned rows[3][NAME_MAX_BYTES + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    const size_t a_size = strnlen(a, NAME_MAX_BYTES), b_size = strnlen(b, NAME_MAX_BYTES);

    for (unsigned j = 0; j <= b_size; j++) {
        last[j] = j;
    }
    for (unsigned i = 1; i <= a_size; i++) {
        unsigned *spare = before;

        now[0] = i;
        for (unsigned j = 1; j <= b_size; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = least(now[j], before[j - 2] + 1);
            }
        }
        before = last;
        last = now;
        now = spare;
    }
    return last[b_size];
}

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
