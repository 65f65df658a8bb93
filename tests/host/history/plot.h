/* plot.h: numbers over time, drawn with letters: fit for any terminal, of any width, with any locale. */
#ifndef AGPU_HOST_HISTORY_PLOT_H
#define AGPU_HOST_HISTORY_PLOT_H

#include <stddef.h>
#include <stdio.h>

#define AGPU_PLOT_ROWS 10u

/* The columns of the terminal that out is, at least 40; 80 when it is none. */
size_t agpu_plot_columns(FILE *out);

/* Draws values, first at the left, in AGPU_PLOT_ROWS lines of at most columns letters, with the scale at the left. When there
 * are more values than columns a column shows the lowest and the highest of its share. 'o': a value, '#': one beyond limit
 * away from middle, '-': middle, unless limit is negative. */
void agpu_plot(FILE *out, const double *values, size_t count, size_t columns, double middle, double limit);

#endif
