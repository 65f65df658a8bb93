/* tally.h: additions of the screen to the runner's totals: cases by group, and big letters that can be read
 * from two metres. Freestanding. */
#ifndef AGPU_EFI_TALLY_H
#define AGPU_EFI_TALLY_H

#include <stdbool.h>
#include <stddef.h>

#include "pci/machine/text.h"

#define AGPU_TALLY_GROUPS_MAX 40u
#define AGPU_TALLY_NAME_MAX   15u

/* A subject of the catalogue: the part of an id in front of the first dot. */
struct agpu_tally_group {
    char name[AGPU_TALLY_NAME_MAX + 1];
    unsigned ended;
    unsigned bad;
};

struct agpu_group_tally {
    struct agpu_tally_group
        groups[AGPU_TALLY_GROUPS_MAX]; /* in order of first use; when full, the last one counts all others */
    unsigned count;
};

/* Counts a case that ended; bad: neither PASS nor SKIP. */
void agpu_tally_add(struct agpu_group_tally *tally, const char *id, size_t length, bool bad);

/* Appends groups from *next on, as many as fit in width, and advances *next: "ring 76  irq 29 (2 bad)". False
 * when none is left. */
bool agpu_tally_line(const struct agpu_group_tally *tally, unsigned *next, unsigned width,
                     struct agpu_text *text);

#define AGPU_BIG_ROWS 7u
/* Appends one row of big letters (tests/cases/rig/font.h); wide: each dot is two characters across. */
void agpu_big_row(struct agpu_text *text, const char *word, unsigned row, bool wide);
/* Returns the width of word in big letters, in characters. */
unsigned agpu_big_width(const char *word, bool wide);

#endif
