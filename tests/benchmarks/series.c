/* series.c: see series.h. */
#include "tests/benchmarks/series.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/host/monotonic.h"

double bench_now(void)
{
    return (double)agpu_monotonic_ns() * 1e-9;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

void bench_print(const char *name, const char *unit, struct bench_series *series, const char *goal)
{
    static bool more;
    double *value = series->value;
    double *floor = series->floor;

    qsort(value, BENCH_ROUNDS, sizeof *value, compare);
    qsort(floor, BENCH_ROUNDS, sizeof *floor, compare);
    printf("%s  {\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\", \"floor\": %.6g, \"ratio\": %.4g, "
           "\"spread\": %.3g, \"goal\": %s}",
           more ? ",\n" : "[\n", name, value[BENCH_ROUNDS / 2], unit, floor[BENCH_ROUNDS / 2],
           value[BENCH_ROUNDS / 2] / floor[BENCH_ROUNDS / 2],
           (value[BENCH_ROUNDS - 1] - value[0]) / value[BENCH_ROUNDS / 2], goal);
    more = true;
}
