/* progress.h: the display during a run: one updating line on a terminal, plain lines elsewhere. */
#ifndef AGPU_HOST_REPORT_PROGRESS_H
#define AGPU_HOST_REPORT_PROGRESS_H

#include "tests/host/report/report.h"
#include "tests/host/wire/tally.h"

struct agpu_live {
    FILE *out;
    FILE *text;         /* out, or a stream that wraps lines for it */
    const char *prefix; /* before every line, e.g. the board's address; "" for none */
    bool terminal;
    bool colour;
    bool quiet; /* cases that passed are not shown, as on a terminal */
    unsigned columns;
    bool line_shown;   /* the updating line is on the screen */
    bool unseen;       /* output waits for agpu_progress_update() */
    uint64_t drawn_us; /* when it was last drawn */
    uint64_t start_us;
    struct agpu_tally failures; /* displayed cases, by their failure */
};

/* out is usually stdout. */
void agpu_progress_init(struct agpu_live *progress, FILE *out, const char *prefix, uint64_t start_us);

/* Writes a permanent line. */
void agpu_progress_note(struct agpu_live *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A case has its verdict. The next agpu_progress_update() displays a case that did not pass, with its evidence, its
 * files and the command that repeats it; without a terminal it displays every case. */
void agpu_progress_case(struct agpu_live *progress, const struct agpu_run *run,
                        const struct agpu_report *report, const struct agpu_case_result *c);

/* Displays the pending output; redraws the updating line of a terminal, at most ten times a second. */
void agpu_progress_update(struct agpu_live *progress, const struct agpu_run *run, uint64_t now_us);

/* Frees the memory of the progress display. */
void agpu_progress_close(struct agpu_live *progress);

/* Writes the summary at the end: last the failed cases, the report in `folder` (NULL: none is written), the verdict. */
void agpu_progress_summary(struct agpu_live *progress, const struct agpu_report *report, const char *folder);

#endif
