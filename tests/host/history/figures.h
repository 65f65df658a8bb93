/* figures.h: what the history says of metrics, as text: how they moved, which got worse beyond noise. */
#ifndef AGPU_HOST_HISTORY_FIGURES_H
#define AGPU_HOST_HISTORY_FIGURES_H

#include "tests/host/history/runs.h"

#define AGPU_HISTORY_PLOTS_MAX 16u

/* Draws each metric that the globs name, by its name or by its case and name (case.name), for each setup and place where it
 * was measured; *found: how many. page (plot_page.h), unless it is NULL, gets more of them; out may be NULL, too. False with a line on stderr. */
bool agpu_history_plot(FILE *out, FILE *page, struct agpu_history *history, const struct agpu_past_runs *runs,
                       const char *globs, size_t columns, size_t *found);

/* The metrics that moved beyond noise (robust.h), the worse ones first; *worse: how many of those. False with a line on
 * stderr. */
bool agpu_history_tell_moved(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                             size_t lines, size_t *worse);

#endif
