/* distance.c: edit distance by dynamic programming over the prefixes of both names; only three rows are stored. */
#include "tests/cases/choice/distance.h"

#define NAME_MAX_BYTES 150u

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned cut_length(const char *name)
{
    unsigned length = 0;

    while (length < NAME_MAX_BYTES && name[length] != '\0') {
        length++;
    }
    return length;
}

unsigned agpu_name_distance(const char *a, const char *b)
{
    unsigned rows[3][NAME_MAX_BYTES + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    const unsigned a_size = cut_length(a), b_size = cut_length(b);

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
