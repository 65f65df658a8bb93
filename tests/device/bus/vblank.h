/* vblank.h: the vblank clock of scanout 0: edges, counters, what an edge sets off (device.md 4.7). */
#ifndef VGPU_BUS_VBLANK_H
#define VGPU_BUS_VBLANK_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"

/* SCANOUT0_ENABLE 0 -> 1: the first edge is one period away. */
void vgpu_vblank_start(struct vgpu_bus *bus);

/* SCANOUT0_ENABLE 1 -> 0: no more edges, pending interrupt and held fences let go; counters keep their
 * values. */
void vgpu_vblank_stop(struct vgpu_bus *bus);

/* Replays the edges that are due by the machine's clock. */
void vgpu_vblank_catch_up(struct vgpu_bus *bus);

#endif
