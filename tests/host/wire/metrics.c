/* metrics.c: samples by name, and their percentiles. */
#include "tests/host/wire/metrics.h"

#include <stdlib.h>
#include <string.h>

static struct agpu_metric *find_metric(struct agpu_metrics *metrics, const char *id, const char *name)
{
    for (size_t i = metrics->count; i-- > 0;) { /* most likely the latest */
        if (strcmp(metrics->items[i].name, name) == 0 && strcmp(metrics->items[i].id, id) == 0) {
            return &metrics->items[i];
        }
    }
    return NULL;
}

static struct agpu_metric *create_metric(struct agpu_metrics *metrics, const char *id, const char *name,
                                         const char *unit)
{
    if (metrics->count == AGPU_METRICS_MAX) {
        return NULL;
    }
    struct agpu_metric *items = realloc(metrics->items, (metrics->count + 1) * sizeof *items);
    if (items == NULL) {
        return NULL;
    }
    metrics->items = items;
    struct agpu_metric made = {.id = strdup(id), .name = strdup(name), .unit = strdup(unit)};
    if (made.id == NULL || made.name == NULL || made.unit == NULL) {
        free(made.id);
        free(made.name);
        free(made.unit);
        return NULL;
    }
    items[metrics->count] = made;
    return &items[metrics->count++];
}

bool agpu_metrics_add(struct agpu_metrics *metrics, const char *id, const char *name, const char *unit,
                      double value)
{
    struct agpu_metric *metric = find_metric(metrics, id, name);

    if (metric == NULL && (metric = create_metric(metrics, id, name, unit)) == NULL) {
        return false;
    }
    if (metric->count == metric->capacity) {
        size_t capacity = metric->capacity ? metric->capacity * 2 : 4;

        if (capacity > AGPU_METRIC_SAMPLES_MAX) {
            return false;
        }
        double *samples = realloc(metric->samples, capacity * sizeof *samples);
        if (samples == NULL) {
            return false;
        }
        metric->samples = samples;
        metric->capacity = capacity;
    }
    metric->samples[metric->count++] = value;
    metric->sorted = false;
    return true;
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

double agpu_metric_percentile(struct agpu_metric *metric, double percent)
{
    if (!metric->sorted) {
        qsort(metric->samples, metric->count, sizeof *metric->samples, compare_values);
        metric->sorted = true;
    }
    double rank = percent / 100.0 * (double)metric->count;
    size_t at = (size_t)rank;
    if ((double)at < rank) {
        at++;
    }
    return metric->samples[at > 0 ? at - 1 : 0];
}

void agpu_metrics_free(struct agpu_metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        free(metrics->items[i].id);
        free(metrics->items[i].name);
        free(metrics->items[i].unit);
        free(metrics->items[i].samples);
    }
    free(metrics->items);
    *metrics = (struct agpu_metrics){0};
}
