/* compare_runs.h: compares two runs of the history. */
#ifndef AGPU_HOST_HISTORY_COMPARE_RUNS_H
#define AGPU_HOST_HISTORY_COMPARE_RUNS_H

#include <stdint.h>
#include <stdio.h>

#include "tests/host/history/database.h"

struct agpu_runs_difference {
    size_t worse;  /* cases that are worse in the second */
    size_t better; /* cases that are better in it */
    size_t only_a; /* cases with a verdict in only one of them */
    size_t only_b;
    size_t metrics; /* metrics that differ by more than their noise */
};

/* Writes the differences from run a to run b: cases, worse ones first, of those that only one of them has the first ten
 * of each; with metrics also these. The caller has checked that the numbers are runs. Returns false with a line on
 * stderr. */
bool agpu_history_compare_runs(FILE *out, struct agpu_history *history, int64_t a, int64_t b, size_t lines,
                               bool metrics, struct agpu_runs_difference *difference);

#endif
