/* hang_clock.h: the time without progress after which something hangs (vidmm.md 7). Between two looks it counts an eighth of the
 * limit at most, so that nothing is taken for a hang because the machine was not there to look. */
#ifndef AGPU_MM_KMD_HANG_CLOCK_H
#define AGPU_MM_KMD_HANG_CLOCK_H

#include <stdint.h>

/* Times in nanoseconds. */
struct agpu_hang_clock {
    uint64_t still_ns;   /* without progress, as far as it was counted */
    uint64_t counted_ns; /* until when that is */
};

/* There is progress, or something begins: nothing is counted yet. */
static inline void agpu_hang_clock_restart(struct agpu_hang_clock *clock, uint64_t now_ns)
{
    *clock = (struct agpu_hang_clock){.counted_ns = now_ns};
}

/* A look: counts the time since the last one. Returns the time without progress. */
static inline uint64_t agpu_hang_clock_look(struct agpu_hang_clock *clock, uint64_t now_ns, uint64_t limit_ns)
{
    const uint64_t step = now_ns - clock->counted_ns, most = limit_ns / 8u + 1u;

    clock->still_ns += step < most ? step : most;
    clock->counted_ns = now_ns;
    return clock->still_ns;
}

#endif
