/* pages.h: what `agpu serve` shows: the runs that go on and the past ones, a case, a metric. */
#ifndef AGPU_HOST_SERVE_PAGES_H
#define AGPU_HOST_SERVE_PAGES_H

#include <stdbool.h>
#include <stdio.h>

#define AGPU_PAGE_RUNS 100u

/* Where they come from. */
struct agpu_pages {
    const char *results;
    const char *database;
};

/* Each writes a whole page. False, with a line on stderr, when the history cannot be read; what was written is then none. */
bool agpu_page_overview(FILE *out, const struct agpu_pages *pages);
/* The cases that the globs name, since when. */
bool agpu_page_cases(FILE *out, const struct agpu_pages *pages, const char *globs);
/* The metrics that the globs name, drawn. */
bool agpu_page_metrics(FILE *out, const struct agpu_pages *pages, const char *globs);

#endif
