/* pages.h: the pages of `agpu serve`: running and past runs, a case, a metric. */
#ifndef AGPU_HOST_SERVE_PAGES_H
#define AGPU_HOST_SERVE_PAGES_H

#include <stdbool.h>
#include <stdio.h>

#define AGPU_PAGE_RUNS 100u

/* Sources of the data. */
struct agpu_pages {
    const char *results;
    const char *database;
};

/* Each writes a whole page. Returns false, with a line on stderr, when the history cannot be read; the output is
 * then not a page. */
/* verdict: the only one whose runs are listed, by name; every other text, such as "", lists all runs. */
bool agpu_page_overview(FILE *out, const struct agpu_pages *pages, const char *verdict);
/* The history of the cases that the globs match. */
bool agpu_page_cases(FILE *out, const struct agpu_pages *pages, const char *globs);
/* Plots of the metrics that the globs match. */
bool agpu_page_metrics(FILE *out, const struct agpu_pages *pages, const char *globs);

#endif
