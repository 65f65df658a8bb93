/* tally.h: what the screen counts beyond the runner's totals: cases by group, and big letters made of text, which are read
 * from two metres. Freestanding. */
#ifndef AGPU_EFI_TALLY_H
#define AGPU_EFI_TALLY_H

#include <stdbool.h>
#include <stddef.h>

#include "pci/machine/text.h"

#define AGPU_TALLY_GROUPS_MAX 40u
#define AGPU_TALLY_NAME_MAX   15u

/* A subject of the catalogue: what stands before the first dot of an id. */
struct agpu_tally_group {
    char name[AGPU_TALLY_NAME_MAX + 1];
    unsigned ended;
    unsigned bad;
};

struct agpu_group_tally {
    struct agpu_tally_group
        groups[AGPU_TALLY_GROUPS_MAX]; /* in the order they were met; one too many counts with the last */
    unsigned count;
};

/* One case more has ended; bad: neither PASS nor SKIP. */
void agpu_tally_add(struct agpu_group_tally *tally, const char *id, size_t length, bool bad);

/* Appends groups from *next on, as many as width leaves room for, and moves *next behind them: "ring 76  irq 29 (2 bad)".
 * False when none is left. */
bool agpu_tally_line(const struct agpu_group_tally *tally, unsigned *next, unsigned width,
                     struct agpu_text *text);

#define AGPU_BIG_ROWS 7u
/* Appends one of the rows of big letters (tests/cases/rig/font.h), two characters a dot across when wide. */
void agpu_big_row(struct agpu_text *text, const char *word, unsigned row, bool wide);
/* How many characters wide they are. */
unsigned agpu_big_width(const char *word, bool wide);

#endif
