/* latency.c: the last doorbell-to-fence times, and limits derived from them. */
#include "tests/cases/rig/latency.h"

#define MS           UINT64_C(1000000)
#define SETTLE_TIMES 20u
#define SETTLE_LEAST (2 * MS)
#define SETTLE_MOST  (400 * MS)

void agpu_latency_add(struct agpu_latency *latency, uint64_t ns)
{
    latency->samples[latency->count++ % AGPU_LATENCY_SAMPLES] = ns;
}

uint64_t agpu_latency_median(const struct agpu_latency *latency)
{
    uint32_t kept = latency->count < AGPU_LATENCY_SAMPLES ? latency->count : AGPU_LATENCY_SAMPLES;

    /* Find the sample with as many smaller ones as larger ones; equal ones are ordered by place. */
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t below = 0;

        for (uint32_t j = 0; j < kept; j++) {
            below += latency->samples[j] < latency->samples[i] ||
                     (latency->samples[j] == latency->samples[i] && j < i);
        }
        if (below == kept / 2) {
            return latency->samples[i];
        }
    }
    return 0;
}

uint64_t agpu_latency_settle_ns(const struct agpu_latency *latency)
{
    uint64_t median = agpu_latency_median(latency);

    if (median <= SETTLE_LEAST / SETTLE_TIMES) {
        return SETTLE_LEAST;
    }
    return median < SETTLE_MOST / SETTLE_TIMES ? median * SETTLE_TIMES : SETTLE_MOST;
}
