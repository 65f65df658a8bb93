/* plot_page.h: draws values over time for a browser: a self-contained page without scripts. */
#ifndef AGPU_HOST_HISTORY_PLOT_PAGE_H
#define AGPU_HOST_HISTORY_PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define AGPU_PLOT_PAGE_MAX 500u /* plots per page */

void agpu_plot_page_begin(FILE *out, const char *title);

/* Adds one plot; heading and caption may contain any text, the caption several lines. Values, middle and limit as
 * for agpu_plot(). */
void agpu_plot_page_add(FILE *out, const char *heading, const char *caption, const double *values,
                        size_t count, double middle, double limit);

/* Returns false when not everything could be written. */
bool agpu_plot_page_end(FILE *out);

#endif
