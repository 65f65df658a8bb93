/* prepare.h: puts the device into a known state before a case and takes down what the case used. */
#ifndef AGPU_CASES_RIG_PREPARE_H
#define AGPU_CASES_RIG_PREPARE_H

#include "tests/cases/harness/fixture.h"
#include "tests/cases/rig/env.h"

/* The configuration of the driver stack that AGPU_NEED_UMD opens on the running ring; a case may change it
 * and open env->umd with its own. */
struct agpu_runtime_config agpu_umd_config(struct agpu_env *env);

/* Until the end of the case driver stacks that are opened take interrupts (agpu_umd_config()). False: why says what is
 * missing. */
bool agpu_stack_take(struct agpu_env *env, enum agpu_stack_mode mode, struct agpu_text *why);

/* Replaces the running ring by one with another layout, for a case that needs it; the rig keeps its
 * memory. */
enum agpu_status agpu_ring_restart(struct agpu_env *env, const struct agpu_ring_config *config);

/* All of this, as the runner calls it. */
extern const struct agpu_fixture agpu_device_fixture;

#endif
