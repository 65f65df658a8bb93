/* metrics.h: the measurements of a run by name. A name that is reported several times is a sample, which is
 * summarised. */
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
    double *samples; /* in order of arrival; agpu_metric_percentile() sorts them */
    size_t count;
    size_t capacity;
    bool sorted;
};

/* Zero-initialised is empty. */
struct agpu_metrics {
    struct agpu_metric *items;
    size_t count;
};

/* Returns false when a limit above is reached or memory is exhausted. */
bool agpu_metrics_add(struct agpu_metrics *metrics, const char *id, const char *name, const char *unit,
                      double value);

/* Returns the smallest sample that is not below the given share (0..100) of all samples. The metric has at least
 * one. */
double agpu_metric_percentile(struct agpu_metric *metric, double percent);

void agpu_metrics_free(struct agpu_metrics *metrics);

#endif
