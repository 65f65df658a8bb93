/* restart.h: replaces the ring in the middle of a case. */
#ifndef AGPU_CASES_RIG_RESTART_H
#define AGPU_CASES_RIG_RESTART_H

#include "tests/cases/rig/env.h"

/* Stops the running ring and starts one with this layout; the rig keeps its memory. Returns the errors of
 * agpu_ring_stop() and agpu_ring_start(). */
enum agpu_status agpu_ring_restart(struct agpu_env *env, const struct agpu_ring_config *config);

#endif
