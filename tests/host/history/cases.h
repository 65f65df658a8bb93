/* cases.h: what the history says of cases, as text: since when they fail, which are flaky, where they differ. */
#ifndef AGPU_HOST_HISTORY_CASES_H
#define AGPU_HOST_HISTORY_CASES_H

#include "tests/host/history/runs.h"

/* Each returns false with a line on stderr. window: how many runs, the last ones, are looked at. */

/* Spell by spell, latest first, for each setup, of each case that the globs (filter.h) name; at most as many lines as lines.
 * *found: how many cases. */
bool agpu_history_tell_cases(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                             const char *globs, size_t lines, size_t *found);

/* The cases that pass and fail by turns; with failing_too before them those that failed when they were last tried, each with
 * the run since which they do, however long ago it was. */
bool agpu_history_tell_bad(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                           size_t window, size_t lines, bool failing_too);

/* The cases that fail in one setup (device, rules, machine) and not in another, each with its last verdict in all of them. */
bool agpu_history_tell_differing(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                                 size_t lines);

#endif
