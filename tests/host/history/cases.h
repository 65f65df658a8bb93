/* cases.h: answers queries about cases from the history, as text: since when they fail, which are flaky, where they
 * differ. */
#ifndef AGPU_HOST_HISTORY_CASES_H
#define AGPU_HOST_HISTORY_CASES_H

#include "tests/host/history/runs.h"

/* Each returns false with a line on stderr. window: how many of the last runs are examined. */

/* Writes the spells, latest first, for each setup, of each case that the globs (filter.h) match; at most `lines`
 * lines. *found: how many cases. */
bool agpu_history_print_cases(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                              const char *globs, size_t lines, size_t *found);

/* Writes the cases that alternate between pass and fail; with failing_too, first those whose last result is a
 * failure, each with the run in which it started, however old. */
bool agpu_history_print_bad(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                            size_t window, size_t lines, bool failing_too);

/* Writes the cases that fail in one setup (device, expectations, machine) and not in another, each with its last
 * verdict in all of them. */
bool agpu_history_print_differing(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                                  size_t lines);

#endif
