/* plot.c: draws values over time in text (plot.h). */
#include "tests/host/history/plot.h"

#include <math.h>
#include <string.h>

#include "tests/host/report/wrap.h"

#define COLUMNS_MIN 40u
#define COLUMNS_MAX 240u
#define SCALE       12u /* columns of the scale at the left */

size_t agpu_plot_columns(FILE *out)
{
    const size_t columns = agpu_terminal_columns(out);

    if (columns == 0) {
        return 80;
    }
    return columns < COLUMNS_MIN ? COLUMNS_MIN : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
}

/* Returns the row of a value; 0 is at the bottom. */
static size_t row_of(double value, double low, double high)
{
    const double share = high > low ? (value - low) / (high - low) : 0.5;

    return (size_t)(share * (AGPU_PLOT_ROWS - 1) + 0.5);
}

void agpu_plot(FILE *out, const double *values, size_t count, size_t columns, double middle, double limit)
{
    char rows[AGPU_PLOT_ROWS][COLUMNS_MAX];
    size_t room = (columns < COLUMNS_MIN   ? COLUMNS_MIN
                   : columns > COLUMNS_MAX ? COLUMNS_MAX
                                           : columns) -
                  SCALE - 1;
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    if (count == 0 || !isfinite(low) || !isfinite(high)) {
        return;
    }
    room = count < room ? count : room;
    memset(rows, ' ', sizeof rows);
    if (limit >= 0 && middle >= low && middle <= high) {
        memset(rows[row_of(middle, low, high)], '-', room);
    }
    for (size_t i = 0; i < count; i++) {
        char *at = &rows[row_of(values[i], low, high)][i * room / count];

        if (*at != '#') {
            *at = limit >= 0 && fabs(values[i] - middle) > limit ? '#' : 'o';
        }
    }
    for (size_t row = AGPU_PLOT_ROWS; row-- > 0;) {
        const double value = low + (high - low) * (double)row / (AGPU_PLOT_ROWS - 1);
        size_t length = room;

        while (length > 0 && rows[row][length - 1] == ' ') {
            length--;
        }
        if (row == 0 || row == AGPU_PLOT_ROWS - 1 || row == AGPU_PLOT_ROWS / 2) {
            fprintf(out, "%*.5g ", (int)SCALE - 2, value);
        } else {
            fprintf(out, "%*s ", (int)SCALE - 2, "");
        }
        fprintf(out, "|%.*s\n", (int)length, rows[row]);
    }
}
