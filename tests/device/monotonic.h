/* monotonic.h: the one reading of CLOCK_MONOTONIC of the processes around the model; the model itself is
 * told the time by its caller. */
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
