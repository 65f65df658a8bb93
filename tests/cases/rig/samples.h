/* samples.h: many measurements of one quantity, in order, and their statistics for a report. No time fails a check
 * here: limits are up to the reader, or to a budget (choice/budget.h). */
#ifndef AGPU_CASES_RIG_SAMPLES_H
#define AGPU_CASES_RIG_SAMPLES_H

#include "tests/cases/harness/check.h"

#define AGPU_SAMPLES_MAX 32u

/* Zero-initialised is empty. */
struct agpu_samples {
    uint64_t sorted[AGPU_SAMPLES_MAX];
    uint64_t sum;
    uint64_t began_ns; /* time of the first agpu_samples_go_on(); 0: none */
    unsigned count;
    unsigned checks; /* the case's checks before the first sample */
};

/* Returns true if another sample is needed: until there are AGPU_SAMPLES_MAX, or until some milliseconds have passed
 * and there is at least one. So a slow device gives few samples, and no case takes long. Only the checks of the last
 * sample count, because the number of samples depends on time. */
bool agpu_samples_go_on(struct agpu_test *test, struct agpu_samples *samples);

/* Beyond AGPU_SAMPLES_MAX a sample is dropped. */
void agpu_samples_add(struct agpu_samples *samples, uint64_t value);

/* Returns the value that this percentage of the samples does not exceed; 0 without samples. */
uint64_t agpu_samples_percentile(const struct agpu_samples *samples, unsigned percent);

/* Sends the figure, a histogram, as metrics of the case, one for each part (figures.def). Nothing without samples. */
void agpu_samples_send(struct agpu_test *test, enum agpu_figure figure, const struct agpu_samples *samples);

/* Sends a figure that is one number. */
void agpu_figure_send(struct agpu_test *test, enum agpu_figure figure, uint64_t value);

/* Sends the histogram, and as a second figure the units per second if the mean sample has this many: submissions per
 * second, or, with units in bytes, MB/s. */
void agpu_samples_send_rate(struct agpu_test *test, enum agpu_figure figure, enum agpu_figure rate,
                            const struct agpu_samples *samples, uint64_t units);

#endif
