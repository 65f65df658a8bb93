/* robust.h: detects changes of values beyond their noise, with statistics that are robust against single outliers.
 * No I/O. */
#ifndef AGPU_HOST_HISTORY_ROBUST_H
#define AGPU_HOST_HISTORY_ROBUST_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_SHIFT_RECENT   3u  /* values at the end that are evaluated together, by their median */
#define AGPU_SHIFT_BASE_MIN 8u  /* minimum number of values before them: fewer do not show their noise */
#define AGPU_SHIFT_BASE_MAX 50u /* maximum number of them */

/* The change at the end of a time series. */
struct agpu_shift {
    bool enough;   /* there are enough values for a result */
    bool moved;    /* changed beyond noise */
    double before; /* median of the values before */
    double noise;  /* their standard deviation, estimated from the median absolute deviation (MAD) */
    double now;    /* median of the last ones */
    double limit;  /* allowed distance from before */
    size_t since;  /* if moved: the first value of the new level */
};

/* Returns the middle value, or the mean of the two middle ones; sorts values. count is not 0. */
double agpu_median(double *values, size_t count);

/* Returns the allowed distance of a value from *median, the median of these values, which it changes; *noise: their
 * standard deviation. count is not 0. */
double agpu_noise_limit(double *values, size_t count, double *median, double *noise);

/* Sets moved when the median of the last AGPU_SHIFT_RECENT values differs from the median of those before by more than
 * five standard deviations and more than 5 %. One slow run, or two of a noisy metric, are no change. */
struct agpu_shift agpu_shift_of(const double *values, size_t count);

/* Returns 1 when higher is worse (times, bytes, instructions), -1 when lower is worse (rates), 0 when the unit is
 * neutral. */
int agpu_worse_direction(const char *unit);

/* Returns the largest unit in which value is at least 1, "" for a mere number; *divisor: how many of unit it has. */
const char *agpu_human_unit(const char *unit, double value, double *divisor);

#endif
