/* stack_config.h: the configuration of the driver stack that cases run on. */
#ifndef AGPU_CASES_RIG_STACK_CONFIG_H
#define AGPU_CASES_RIG_STACK_CONFIG_H

#include "tests/cases/rig/env.h"

/* Returns the configuration of the driver stack that AGPU_NEED_UMD opens on the running ring; a case may change it
 * and open env->umd with its own. */
struct agpu_runtime_config agpu_umd_config(struct agpu_env *env);

/* Makes driver stacks that are opened until the end of the case use interrupts (agpu_umd_config()). Returns false if
 * something is missing, which why names. */
bool agpu_stack_take(struct agpu_env *env, enum agpu_stack_mode mode, struct agpu_text *why);

/* Adds a segment 2 of at most this many bytes in BAR1 to a configuration, which the driver then uses too. Returns
 * false if bytes is 0 or the machine does not map BAR1. */
bool agpu_video_memory(const struct agpu_env *env, uint64_t bytes, struct agpu_runtime_config *config);

/* Returns why an adapter would refuse this configuration (agpu_runtime_refusal()), or NULL if it accepts it. */
const char *agpu_stack_refusal(struct agpu_env *env);

#endif
