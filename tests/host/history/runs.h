/* runs.h: the runs of the history in the order of time, and the results of one case in them. */
#ifndef AGPU_HOST_HISTORY_RUNS_H
#define AGPU_HOST_HISTORY_RUNS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/host/history/database.h"
#include "tests/host/wire/verdict.h"

#define AGPU_HISTORY_RUNS_MAX 100000u /* looked at; the latest ones */

struct agpu_past_run {
    int64_t id;
    int64_t started_at; /* Unix seconds */
    enum agpu_verdict verdict;
    char *build;
    char *folder;
    unsigned setup; /* numbers of texts below: what results, and times, can be compared by */
    unsigned place;
    uint64_t cases;
    uint64_t bad; /* cases that ended ERROR or worse */
    char *fault;  /* the device was made wrong in this way; "": it was not */
};

struct agpu_past_runs {
    struct agpu_past_run *items; /* oldest first */
    size_t count;
    char **texts;
    size_t text_count;
    unsigned *by_id; /* position of the run of a number plus one; 0: not among them */
    int64_t id_max;
    uint64_t hidden; /* runs of devices made wrong on purpose that are not among them */
};

/* What one case was in one run. */
struct agpu_past_result {
    size_t run; /* position in the runs */
    enum agpu_verdict verdict;
    uint64_t us;
    int64_t reason; /* agpu_past_text(); 0: none */
};

/* The latest runs, at most last of them; with_faults: those of devices made wrong on purpose, too. False with a line on
 * stderr; free in both cases. */
bool agpu_past_runs_load(struct agpu_past_runs *runs, struct agpu_history *history, size_t last,
                         bool with_faults);
void agpu_past_runs_free(struct agpu_past_runs *runs);

/* Position of the run with this number, count when it is not among them. */
size_t agpu_past_run_position(const struct agpu_past_runs *runs, int64_t id);

/* The least number among the last runs. */
int64_t agpu_past_runs_first(const struct agpu_past_runs *runs, size_t last);

/* The results of a case in the runs from number first on (0: all), in the order of time, to results (room for runs->count); SIZE_MAX with a line on stderr. statement
 * is of agpu_past_results_prepare(). */
struct agpu_statement *agpu_past_results_prepare(struct agpu_history *history);
size_t agpu_past_results(const struct agpu_past_runs *runs, struct agpu_statement *statement, int64_t case_id,
                         int64_t first, struct agpu_past_result *results);

/* A text of the history on one line, made safe for a terminal. */
void agpu_past_text(FILE *out, struct agpu_history *history, int64_t id);

/* "run 12, 2026-11-22 19:30, build 0123abc", in local time. */
void agpu_past_run_print(FILE *out, const struct agpu_past_run *run);

#endif
