/* series.h: rounds of a figure beside its floor, and their entry in the JSON list. */
#ifndef AGPU_TESTS_BENCHMARKS_SERIES_H
#define AGPU_TESTS_BENCHMARKS_SERIES_H

#define BENCH_ROUNDS 15

/* Figures of the rounds, per second or whatever the caller counts. */
struct bench_series {
    double value[BENCH_ROUNDS];
    double floor[BENCH_ROUNDS];
};

/* Monotonic seconds. */
double bench_now(void);

/* Prints one entry: medians, their ratio, the spread of the values; goal is a JSON value. Opens the list at
 * the first entry, which the caller closes. Sorts the series. */
void bench_print(const char *name, const char *unit, struct bench_series *series, const char *goal);

#endif
