/* gen_function.h: actions on the function: rings, interrupts, registers, scanout, time, configuration space, BAR1
 * (device.md 2 to 5). */
#ifndef AGPU_HOST_COMPARE_GEN_FUNCTION_H
#define AGPU_HOST_COMPARE_GEN_FUNCTION_H

#include "tests/host/compare/world.h"

world_action world_fence_page, world_ring_set, world_ring_reset, world_ring_off;
world_action world_interrupts, world_storage, world_scanout, world_time;
world_action world_config, world_aperture, world_function_reset;
/* The driver's steps after any reset of the function: checks it, and starts again. */
world_action world_after_reset;

#endif
