/* latency.h: measures how long this run's device takes from doorbell to fence, to derive how long to wait before
 * concluding that nothing happened. */
#ifndef AGPU_CASES_RIG_LATENCY_H
#define AGPU_CASES_RIG_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

/* Number of newest measurements that are stored. */
#define AGPU_LATENCY_SAMPLES 9u

struct agpu_latency {
    bool measured; /* done by the first case of the run with a ring, before its body */
    uint64_t samples[AGPU_LATENCY_SAMPLES];
    uint32_t count; /* number of all measurements */
};

/* Adds the time of one empty submission, from doorbell until the fence was seen. */
void agpu_latency_add(struct agpu_latency *latency, uint64_t ns);

/* Returns the median of the stored measurements, which one slow moment of the machine does not change. 0 before the
 * first. */
uint64_t agpu_latency_median(const struct agpu_latency *latency);

/* Returns how long to wait for something that must not happen: 20 times the median, at least 2 ms, at most 400 ms.
 * For a device that serves its ring by a timer every 8 ms that is 160 ms. */
uint64_t agpu_latency_settle_ns(const struct agpu_latency *latency);

#endif
