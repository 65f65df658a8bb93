/* sampler.h: sampler objects (commands.md 10). */
#ifndef AGPU_TESTS_DEVICE_SAMPLER_H
#define AGPU_TESTS_DEVICE_SAMPLER_H

#include <stdint.h>

struct agpu_exec;

struct agpu_sampler {
    uint32_t filter;     /* AEROGPU_SAMPLER_FILTER_* */
    uint32_t address[3]; /* u, v, w: AEROGPU_SAMPLER_ADDRESS_* */
};

/* Frees every sampler: reset. */
void agpu_sampler_free_all(struct agpu_exec *exec);

#endif
