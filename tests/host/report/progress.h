/* progress.h: what a person sees while a run goes on: one line that updates on a terminal, plain lines
 * elsewhere. */
#ifndef AGPU_HOST_REPORT_PROGRESS_H
#define AGPU_HOST_REPORT_PROGRESS_H

#include "tests/host/report/report.h"
#include "tests/host/wire/tally.h"

struct agpu_live {
    FILE *out;
    FILE *text;         /* out, or what breaks lines for it */
    const char *prefix; /* before every line, e.g. the board's address; "" for none */
    bool terminal;
    unsigned columns;
    bool line_shown;   /* the updating line is on the screen */
    bool unseen;       /* what was written waits for agpu_progress_update() */
    uint64_t drawn_us; /* when it was drawn last */
    uint64_t start_us;
    struct agpu_tally failures; /* cases shown, by what they fail with */
};

/* out is usually stdout. */
void agpu_progress_init(struct agpu_live *progress, FILE *out, const char *prefix, uint64_t start_us);

/* A permanent line. */
void agpu_progress_note(struct agpu_live *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A case has its verdict, which the next agpu_progress_update() shows: permanent with its evidence, its files and how to repeat it if it did not pass, and always where there is no
 * terminal. */
void agpu_progress_case(struct agpu_live *progress, const struct agpu_run *run,
                        const struct agpu_report *report, const struct agpu_case_result *c);

/* Shows what was written; redraws the updating line of a terminal, at most ten times a second. */
void agpu_progress_update(struct agpu_live *progress, const struct agpu_run *run, uint64_t now_us);

/* Gives its memory back. */
void agpu_progress_close(struct agpu_live *progress);

/* The block at the end. folder: where the reports are. */
void agpu_progress_summary(struct agpu_live *progress, const struct agpu_report *report, const char *folder);

#endif
