/* hang_clock.h: measures time without progress, to detect a hang (vidmm.md 7). Each update counts at most an eighth of
 * the limit, so that a machine which was stopped in between does not cause a false hang. */
#ifndef AGPU_MM_KMD_HANG_CLOCK_H
#define AGPU_MM_KMD_HANG_CLOCK_H

#include <stdint.h>

/* Times in nanoseconds. */
struct agpu_hang_clock {
    uint64_t still_ns;   /* time without progress, as counted so far */
    uint64_t counted_ns; /* time of the last update */
};

/* Starts at zero: there was progress, or something begins. */
static inline void agpu_hang_clock_restart(struct agpu_hang_clock *clock, uint64_t now_ns)
{
    *clock = (struct agpu_hang_clock){.counted_ns = now_ns};
}

/* Counts the time since the last update. Returns the time without progress. */
static inline uint64_t agpu_hang_clock_poll(struct agpu_hang_clock *clock, uint64_t now_ns, uint64_t limit_ns)
{
    const uint64_t step = now_ns - clock->counted_ns, most = limit_ns / 8u + 1u;

    clock->still_ns += step < most ? step : most;
    clock->counted_ns = now_ns;
    return clock->still_ns;
}

#endif
