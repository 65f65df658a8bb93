/* figures.h: answers queries about metrics from the history, as text: their development, and regressions beyond
 * noise. */
#ifndef AGPU_HOST_HISTORY_FIGURES_H
#define AGPU_HOST_HISTORY_FIGURES_H

#include "tests/host/history/runs.h"

#define AGPU_HISTORY_PLOTS_MAX 16u

/* Draws each metric that the globs match, by its name or by its case and name (case.name), for each setup and place
 * where it was measured; *found: how many. page (plot_page.h), unless NULL, receives more of them; out may be NULL,
 * too. Returns false with a line on stderr. */
bool agpu_history_plot(FILE *out, FILE *page, struct agpu_history *history, const struct agpu_past_runs *runs,
                       const char *globs, size_t columns, size_t *found);

/* Writes the metrics that changed beyond noise (robust.h), regressions first; *worse: how many of those. Returns
 * false with a line on stderr. */
bool agpu_history_print_moved(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                              size_t lines, size_t *worse);

#endif
