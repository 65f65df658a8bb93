/* robust.h: whether numbers have moved beyond their noise, by statistics that single outliers do not move. No I/O. */
#ifndef AGPU_HOST_HISTORY_ROBUST_H
#define AGPU_HOST_HISTORY_ROBUST_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_SHIFT_RECENT   3u  /* values at the end that are judged together, by their median */
#define AGPU_SHIFT_BASE_MIN 8u  /* values before them, at least: fewer do not tell their noise */
#define AGPU_SHIFT_BASE_MAX 50u /* and at most */

/* How values, in the order of time, have changed at their end. */
struct agpu_shift {
    bool enough;   /* there are enough values to say anything */
    bool moved;    /* beyond noise */
    double before; /* median of the values before */
    double noise;  /* their standard deviation as the median of deviations (MAD) tells it */
    double now;    /* median of the last ones */
    double limit;  /* how far from before they may be */
    size_t since;  /* when moved: the first value of the new level */
};

/* The middle one, or the mean of the two in the middle; values are sorted. count is not 0. */
double agpu_median(double *values, size_t count);

/* Moved is: the median of the last AGPU_SHIFT_RECENT lies five standard deviations and five hundredths away from the median
 * of those before, so that a slow run, or two of a noisy metric, are no change. */
struct agpu_shift agpu_shift_of(const double *values, size_t count);

/* Which way is worse: 1 when more is (times, bytes, instructions), -1 when less is (rates), 0 when the unit does not tell. */
int agpu_worse_direction(const char *unit);

#endif
