/* vblank.h: the vblank clock of scanout 0: edges, counters, what an edge sets off (device.md 4.7). */
#ifndef VGPU_BUS_VBLANK_H
#define VGPU_BUS_VBLANK_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_device;

#define VGPU_VBLANK_PERIOD_NS 16666667u /* ceil(1e9 / 60) */

struct vgpu_vblank {
    bool running;
    uint64_t sequence;
    uint64_t time_ns;      /* scheduled time of the last edge */
    uint64_t next_edge_ns; /* while running */
};

/* SCANOUT0_ENABLE 0 -> 1: the first edge is one period away. */
void vgpu_vblank_start(struct vgpu_device *device);

/* SCANOUT0_ENABLE 1 -> 0: no more edges, pending interrupt and held fences let go; counters keep their
 * values. */
void vgpu_vblank_stop(struct vgpu_device *device);

/* Replays the edges that are due by the machine's clock. */
void vgpu_vblank_catch_up(struct vgpu_device *device);

#endif
