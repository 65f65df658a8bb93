/* runs.h: the runs of the history in order of time, and the results of one case in them. */
#ifndef AGPU_HOST_HISTORY_RUNS_H
#define AGPU_HOST_HISTORY_RUNS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/host/history/database.h"
#include "tests/host/wire/verdict.h"

#define AGPU_HISTORY_RUNS_MAX 100000u /* limit: the latest ones */

struct agpu_past_run {
    int64_t id;
    int64_t started_at; /* Unix seconds */
    enum agpu_verdict verdict;
    char *build;
    char *folder;
    unsigned setup; /* numbers of texts below: results, and times, are comparable only within the same one */
    unsigned place;
    uint64_t cases;
    uint64_t bad; /* cases with the verdict ERROR or worse */
    char *fault;  /* the fault injected into the device; "": none */
};

struct agpu_past_runs {
    struct agpu_past_run *items; /* oldest first */
    size_t count;
    char **texts;
    size_t text_count;
    unsigned *by_id; /* position plus one of the run with a given number; 0: not loaded */
    int64_t id_max;
    uint64_t hidden; /* runs with injected faults that are not loaded */
};

/* The result of one case in one run. */
struct agpu_past_result {
    size_t run; /* position in the runs */
    enum agpu_verdict verdict;
    uint64_t us;
    int64_t reason; /* agpu_past_text(); 0: none */
};

/* Loads the latest runs, at most `last` of them; with_faults: including those with injected faults. Returns false
 * with a line on stderr; free in both cases. */
bool agpu_past_runs_load(struct agpu_past_runs *runs, struct agpu_history *history, size_t last,
                         bool with_faults);
void agpu_past_runs_free(struct agpu_past_runs *runs);

/* Returns the position of the run with this number, count when it is not loaded. */
size_t agpu_past_run_position(const struct agpu_past_runs *runs, int64_t id);

/* Returns the smallest number among the last runs. */
int64_t agpu_past_runs_first(const struct agpu_past_runs *runs, size_t last);

/* Reads the results of a case in the runs from number first on (0: all), in order of time, into results (room for
 * runs->count); returns SIZE_MAX with a line on stderr. statement comes from agpu_past_results_prepare(). */
struct agpu_statement *agpu_past_results_prepare(struct agpu_history *history);
size_t agpu_past_results(const struct agpu_past_runs *runs, struct agpu_statement *statement, int64_t case_id,
                         int64_t first, struct agpu_past_result *results);

/* Writes a text of the history on one line, escaped for a terminal. */
void agpu_past_text(FILE *out, struct agpu_history *history, int64_t id);

/* Writes "run 12, 2026-11-22 19:30, build 0123abc", in local time. */
void agpu_past_run_print(FILE *out, const struct agpu_past_run *run);

#endif
