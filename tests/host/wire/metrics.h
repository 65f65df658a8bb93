/* metrics.h: the measurements of a run by name; a name that is reported many times is a sample and is summed
 * up. */
#ifndef AGPU_HOST_WIRE_METRICS_H
#define AGPU_HOST_WIRE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_METRICS_MAX        4096 /* different names */
#define AGPU_METRIC_SAMPLES_MAX 65536

struct agpu_metric {
    char *id; /* the case that measured it, or "-" */
    char *name;
    char *unit;
    double *samples; /* as they came; sorted by agpu_metric_percentile() */
    size_t count;
    size_t capacity;
    bool sorted;
};

/* Zero-initialised is empty. */
struct agpu_metrics {
    struct agpu_metric *items;
    size_t count;
};

/* False when a bound above or memory is exhausted. */
bool agpu_metrics_add(struct agpu_metrics *metrics, const char *id, const char *name, const char *unit,
                      double value);

/* The smallest sample that is not below the given share (0..100) of all. The metric has at least one
 * sample. */
double agpu_metric_percentile(struct agpu_metric *metric, double percent);

void agpu_metrics_free(struct agpu_metrics *metrics);

#endif
