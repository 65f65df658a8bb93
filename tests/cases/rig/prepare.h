/* prepare.h: puts the device into a known state before a case and takes down what the case used. */
#ifndef AGPU_CASES_RIG_PREPARE_H
#define AGPU_CASES_RIG_PREPARE_H

#include "tests/cases/harness/fixture.h"
#include "tests/cases/rig/env.h"

/* The configuration of the driver stack that AGPU_NEED_UMD opens on the running ring; a case may change it
 * and open env->umd with its own. */
struct agpu_runtime_config agpu_umd_config(struct agpu_env *env);

/* Adds a segment 2 of so many bytes, or less, over BAR1 to a configuration, which the driver then uses too. False when
 * bytes is 0 or the machine maps no BAR1. */
bool agpu_video_memory(const struct agpu_env *env, uint64_t bytes, struct agpu_runtime_config *config);

/* Replaces the running ring by one with another layout, for a case that needs it; the rig keeps its
 * memory. */
enum agpu_status agpu_ring_restart(struct agpu_env *env, const struct agpu_ring_config *config);

/* All of this, as the runner calls it. */
extern const struct agpu_fixture agpu_device_fixture;

#endif
