/* robust.c: detects changes of values beyond their noise (robust.h). */
#include "tests/host/history/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGMA_OF_MAD 1.4826 /* for a normal distribution */
#define SIGMAS       5.0
#define SHARE        0.05 /* share of the median: smaller changes are irrelevant, however low the noise */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double agpu_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 != 0 ? values[count / 2] : values[count / 2 - 1] / 2 + values[count / 2] / 2;
}

double agpu_noise_limit(double *values, size_t count, double *median, double *noise)
{
    *median = agpu_median(values, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - *median);
    }
    *noise = SIGMA_OF_MAD * agpu_median(values, count);
    return fmax(SIGMAS * *noise, SHARE * fabs(*median));
}

struct agpu_shift agpu_shift_of(const double *values, size_t count)
{
    double base[AGPU_SHIFT_BASE_MAX], recent[AGPU_SHIFT_RECENT];
    struct agpu_shift shift = {0};

    if (count < AGPU_SHIFT_RECENT + AGPU_SHIFT_BASE_MIN) {
        return shift;
    }
    const size_t first_recent = count - AGPU_SHIFT_RECENT;
    const size_t size = first_recent < AGPU_SHIFT_BASE_MAX ? first_recent : AGPU_SHIFT_BASE_MAX;
    memcpy(recent, values + first_recent, sizeof recent);
    memcpy(base, values + first_recent - size, size * sizeof *base);
    shift.enough = true;
    shift.now = agpu_median(recent, AGPU_SHIFT_RECENT);
    shift.limit = agpu_noise_limit(base, size, &shift.before, &shift.noise);
    shift.moved = fabs(shift.now - shift.before) > shift.limit;
    /* Go back over all values that are nearer to the new level than to the old one. */
    shift.since = count;
    while (shift.moved && shift.since > 0 &&
           fabs(values[shift.since - 1] - shift.now) < fabs(values[shift.since - 1] - shift.before)) {
        shift.since--;
    }
    if (shift.since == count) { /* only the last value has returned: those before it are the change */
        shift.since = first_recent;
    }
    return shift;
}

int agpu_worse_direction(const char *unit)
{
    static const char *const more_is_worse[] = {"s",     "ms",    "us",           "ns",    "cycles",
                                                "ticks", "bytes", "instructions", "B",     "KiB",
                                                "MiB",   "polls", "us/op",        "ns/op", "exits"};

    for (size_t i = 0; i < sizeof more_is_worse / sizeof more_is_worse[0]; i++) {
        if (strcmp(unit, more_is_worse[i]) == 0) {
            return 1;
        }
    }
    return strlen(unit) > 2 && strcmp(unit + strlen(unit) - 2, "/s") == 0 ? -1 : 0;
}

const char *agpu_human_unit(const char *unit, double value, double *divisor)
{
    static const struct {
        const char *unit;
        double factor;
        const char *next;
    } steps[] = {{"ns", 1000, "us"}, {"us", 1000, "ms"},   {"ms", 1000, "s"},   {"bytes", 1024, "KiB"},
                 {"B", 1024, "KiB"}, {"KiB", 1024, "MiB"}, {"MiB", 1024, "GiB"}};

    *divisor = 1;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (strcmp(unit, steps[i].unit) == 0 && fabs(value) >= *divisor * steps[i].factor) {
            *divisor *= steps[i].factor;
            unit = steps[i].next;
        }
    }
    return strcmp(unit, "1") != 0 ? unit : "";
}
