/* monotonic.h: reads CLOCK_MONOTONIC, for the host tool, the in-process machine and the benchmarks. */
#ifndef AGPU_TESTS_HOST_MONOTONIC_H
#define AGPU_TESTS_HOST_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t agpu_monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
