/* plot_page.h: numbers over time, drawn for a browser: a page of its own, without scripts. */
#ifndef AGPU_HOST_HISTORY_PLOT_PAGE_H
#define AGPU_HOST_HISTORY_PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define AGPU_PLOT_PAGE_MAX 500u /* plots of a page */

void agpu_plot_page_begin(FILE *out, const char *title);

/* One plot; heading and caption are texts of any content, the caption of several lines. Values, middle and limit as for
 * agpu_plot(). */
void agpu_plot_page_add(FILE *out, const char *heading, const char *caption, const double *values,
                        size_t count, double middle, double limit);

/* False when not all could be written. */
bool agpu_plot_page_end(FILE *out);

#endif
