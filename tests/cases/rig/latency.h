/* latency.h: how long this run's device takes from doorbell to fence, and from that, how long one has to look
 * before "nothing happened" says something. */
#ifndef AGPU_CASES_RIG_LATENCY_H
#define AGPU_CASES_RIG_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

/* The newest so many are kept. */
#define AGPU_LATENCY_SAMPLES 9u

struct agpu_latency {
    bool measured; /* by the first case of the run that has a ring, before its body */
    uint64_t samples[AGPU_LATENCY_SAMPLES];
    uint32_t count; /* of all that were ever added */
};

/* Takes what one empty submission needed, doorbell to fence seen. */
void agpu_latency_add(struct agpu_latency *latency, uint64_t ns);

/* The median of those kept: one slow moment of the machine does not move it. 0 before the first. */
uint64_t agpu_latency_median(const struct agpu_latency *latency);

/* How long to wait for what must not happen: 20 times the median, 2 ms at least, 400 ms at most. A device
 * that serves its ring by a timer every 8 ms is looked at for 160 ms. */
uint64_t agpu_latency_settle_ns(const struct agpu_latency *latency);

#endif
