/* samples.h: many measurements of one thing, in order, and what a report needs of them. No time is judged: what is slow is
 * for the reader to say. */
#ifndef AGPU_CASES_RIG_SAMPLES_H
#define AGPU_CASES_RIG_SAMPLES_H

#include "tests/cases/harness/check.h"

#define AGPU_SAMPLES_MAX 128u

/* Zero-initialised is empty. */
struct agpu_samples {
    uint64_t sorted[AGPU_SAMPLES_MAX];
    unsigned count;
};

/* Beyond AGPU_SAMPLES_MAX a sample is dropped. */
void agpu_samples_add(struct agpu_samples *samples, uint64_t value);

/* The value that so many of a hundred do not exceed; 0 without samples. */
uint64_t agpu_samples_percentile(const struct agpu_samples *samples, unsigned percent);

/* Sends NAME_p10, _p50, _p90, _p99, _max and _count as metrics of the case. */
void agpu_samples_send(struct agpu_test *test, const char *name, const struct agpu_samples *samples,
                       const char *unit);

#endif
