/* samples.h: many measurements of one thing, in order, and what a report needs of them. No time is judged: what is slow is
 * for the reader to say, or for a budget (choice/budget.h). */
#ifndef AGPU_CASES_RIG_SAMPLES_H
#define AGPU_CASES_RIG_SAMPLES_H

#include "tests/cases/harness/check.h"

#define AGPU_SAMPLES_MAX 32u

/* Zero-initialised is empty. */
struct agpu_samples {
    uint64_t sorted[AGPU_SAMPLES_MAX];
    uint64_t sum;
    uint64_t began_ns; /* when agpu_samples_go_on() was first asked; 0: never */
    unsigned count;
    unsigned checks; /* of the case before the first sample */
};

/* Whether another sample is to be taken: until there are AGPU_SAMPLES_MAX, or some milliseconds have passed and there is one. So
 * a slow device has few, and no case lasts long. The checks of a sample that is followed by another do not count: how many
 * there are is a matter of time. */
bool agpu_samples_go_on(struct agpu_test *test, struct agpu_samples *samples);

/* Beyond AGPU_SAMPLES_MAX a sample is dropped. */
void agpu_samples_add(struct agpu_samples *samples, uint64_t value);

/* The value that so many of a hundred do not exceed; 0 without samples. */
uint64_t agpu_samples_percentile(const struct agpu_samples *samples, unsigned percent);

/* Sends the figure, a histogram, as metrics of the case: its parts (figures.def). Nothing without samples. */
void agpu_samples_send(struct agpu_test *test, enum agpu_figure figure, const struct agpu_samples *samples);

/* Sends a figure that is one number. */
void agpu_figure_send(struct agpu_test *test, enum agpu_figure figure, uint64_t value);

/* Sends the histogram, and as the other figure how many units there are in a second when the mean sample has so many of them:
 * submissions a second, or, with units in bytes, MB/s. */
void agpu_samples_send_rate(struct agpu_test *test, enum agpu_figure figure, enum agpu_figure rate,
                            const struct agpu_samples *samples, uint64_t units);

#endif
