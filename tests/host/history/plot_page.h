/* plot_page.h: draws values over time for a browser, as a part of a page (page.h). */
#ifndef AGPU_HOST_HISTORY_PLOT_PAGE_H
#define AGPU_HOST_HISTORY_PLOT_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "tests/host/history/runs.h"

#define AGPU_PLOT_PAGE_MAX 500u /* plots per page */

/* One plot. The texts may contain anything. */
struct agpu_plot_page_drawing {
    const char *heading;
    const char *caption; /* several lines are allowed */
    const char *unit;    /* "": none */
    const double *values;
    size_t count;
    double middle; /* middle and limit: as for agpu_plot() */
    double limit;
    const struct agpu_past_runs *runs; /* where the values were measured */
    const size_t *positions;           /* of each value, in runs */
};

void agpu_plot_page_add(FILE *out, const struct agpu_plot_page_drawing *drawing);

#endif
