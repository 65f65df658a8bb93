/* vblank.h: the vblank clock of scanout 0: edges, counters, effects of an edge (device.md 4.7). */
#ifndef VGPU_BUS_VBLANK_H
#define VGPU_BUS_VBLANK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

/* SCANOUT0_ENABLE 0 -> 1: the first edge is one period away. */
void vgpu_vblank_start(struct vgpu_bus *bus);

/* SCANOUT0_ENABLE 1 -> 0: stops the edges, clears the pending interrupt and releases held fences; the counters
 * keep their values. */
void vgpu_vblank_stop(struct vgpu_bus *bus);

/* Replays the edges that are due according to the machine's clock. */
void vgpu_vblank_catch_up(struct vgpu_bus *bus);

#endif
