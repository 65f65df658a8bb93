/* plot.h: draws values over time in ASCII, for terminals of any width and locale. */
#ifndef AGPU_HOST_HISTORY_PLOT_H
#define AGPU_HOST_HISTORY_PLOT_H

#include <stddef.h>
#include <stdio.h>

#define AGPU_PLOT_ROWS 10u

/* Returns the columns of the terminal out, at least 40; 80 when it is not a terminal. */
size_t agpu_plot_columns(FILE *out);

/* Draws values, oldest at the left, in AGPU_PLOT_ROWS lines of at most columns characters, with the scale at the
 * left. With more values than columns, a column shows the lowest and the highest of its share. 'o': a value, '#':
 * one that differs from middle by more than limit, '-': middle, unless limit is negative. */
void agpu_plot(FILE *out, const double *values, size_t count, size_t columns, double middle, double limit);

#endif
