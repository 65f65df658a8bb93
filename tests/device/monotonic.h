/* monotonic.h: reads CLOCK_MONOTONIC for the processes around the model. The model itself gets the time from
 * its caller. */
#ifndef VGPU_TESTS_DEVICE_MONOTONIC_H
#define VGPU_TESTS_DEVICE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t vgpu_monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
