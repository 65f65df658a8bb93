/* series.h: rounds of a figure and its floor, and their entry in the JSON list. */
#ifndef AGPU_TESTS_BENCHMARKS_SERIES_H
#define AGPU_TESTS_BENCHMARKS_SERIES_H

#define BENCH_ROUNDS 15

/* Figures of the rounds, per second or in the caller's unit. */
struct bench_series {
    double value[BENCH_ROUNDS];
    double floor[BENCH_ROUNDS];
};

/* Returns monotonic time in seconds. */
double bench_now(void);

/* Prints one entry: medians, their ratio, the spread of the values. goal is a JSON value. The first entry opens the
 * list, which the caller closes. Sorts the series. */
void bench_print(const char *name, const char *unit, struct bench_series *series, const char *goal);

#endif
