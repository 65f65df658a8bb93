/* function.h: actions on the function: rings, interrupts, registers, scanout, time, configuration space, BAR1
 * (device.md 2 to 5). */
#ifndef AGPU_CASES_RANDOM_FUNCTION_H
#define AGPU_CASES_RANDOM_FUNCTION_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_fence_page, agpu_gen_ring_set, agpu_gen_ring_reset, agpu_gen_ring_off;
agpu_gen_action agpu_gen_interrupts, agpu_gen_narrow, agpu_gen_storage, agpu_gen_scanout, agpu_gen_time;
agpu_gen_action agpu_gen_config, agpu_gen_aperture, agpu_gen_function_reset;
/* A doorbell without work; work while bus master is off; a ring reset, whatever the device does. */
agpu_gen_action agpu_gen_bell, agpu_gen_master_off, agpu_gen_discard;
void agpu_gen_write_command(struct agpu_gen *g, uint32_t value);
/* The driver's steps after any reset of the function: checks it, and starts again. */
agpu_gen_action agpu_gen_after_reset;

#endif
