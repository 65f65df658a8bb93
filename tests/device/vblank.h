/* vblank.h: the vblank clock of scanout 0: edges, counters, what an edge sets off (device.md 4.7). */
#ifndef AGPU_TESTS_DEVICE_VBLANK_H
#define AGPU_TESTS_DEVICE_VBLANK_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_device;

#define AGPU_VBLANK_PERIOD_NS 16666667u /* ceil(1e9 / 60) */

struct agpu_vblank {
    bool running;
    uint64_t sequence;
    uint64_t time_ns;      /* scheduled time of the last edge */
    uint64_t next_edge_ns; /* while running */
};

/* SCANOUT0_ENABLE 0 -> 1: the first edge is one period away. */
void agpu_vblank_start(struct agpu_device *device);

/* SCANOUT0_ENABLE 1 -> 0: no more edges, pending interrupt and held fences let go; counters keep their
 * values. */
void agpu_vblank_stop(struct agpu_device *device);

/* Replays the edges that are due by the machine's clock. */
void agpu_vblank_catch_up(struct agpu_device *device);

#endif
