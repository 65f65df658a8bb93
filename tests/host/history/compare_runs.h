/* compare_runs.h: two runs of the history beside each other. */
#ifndef AGPU_HOST_HISTORY_COMPARE_RUNS_H
#define AGPU_HOST_HISTORY_COMPARE_RUNS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/host/history/database.h"

struct agpu_runs_difference {
    size_t worse;  /* cases that are worse in the second */
    size_t better; /* cases that are better in it */
    size_t only_a; /* cases with a verdict in one of them */
    size_t only_b;
    size_t metrics; /* that differ by more than a tenth */
};

/* Writes what differs from run a to run b: cases, worse ones first, and metrics. Numbers are checked to be runs by the caller.
 * False with a line on stderr. */
bool agpu_history_compare_runs(FILE *out, struct agpu_history *history, int64_t a, int64_t b, size_t lines,
                               struct agpu_runs_difference *difference);

#endif
