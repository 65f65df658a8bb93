/* prepare.h: puts the device into a known state before a case and takes down what the case used. */
#ifndef AGPU_CASES_RIG_PREPARE_H
#define AGPU_CASES_RIG_PREPARE_H

#include "tests/cases/harness/fixture.h"
#include "tests/cases/rig/env.h"

/* Finds and opens the device that the cases drive: the first usable function with a known identity, with its
 * abi. On error why says what was found and, when there is no such function, which display functions there
 * are. */
enum agpu_status agpu_device_find(struct agpu_env *env, struct agpu_text *why);

/* Appends the plan record's device value, "A3A0:0001 00:03.0 abi=1.4 features=0x3f". */
void agpu_device_describe(const struct agpu_env *env, struct agpu_text *text);

/* Makes an opened device quiet: decode and bus master on, ring, interrupts, scanout, cursor off, addresses 0,
 * reset. AGPU_ERR_LOST, AGPU_ERR_TIMEOUT. */
enum agpu_status agpu_device_quiesce(const struct agpu_env *env);

/* Brings up what need asks for beyond a quiet device. */
enum agpu_status agpu_case_prepare(struct agpu_env *env, enum agpu_need need);

/* The configuration of the driver stack that AGPU_NEED_UMD opens on the running ring; a case may change it
 * and open env->umd with its own. */
struct agpu_runtime_config agpu_umd_config(struct agpu_env *env);

/* Replaces the running ring by one with another layout, for a case that needs it; the rig keeps its
 * memory. */
enum agpu_status agpu_ring_restart(struct agpu_env *env, const struct agpu_ring_config *config);

/* Takes down what prepare brought up and makes the device quiet again. The memory is freed in any case; leaks
 * says what the driver had kept, and stays empty when that is nothing. */
enum agpu_status agpu_case_restore(struct agpu_env *env, enum agpu_need need, struct agpu_text *leaks);

/* All of this, as the runner calls it. */
extern const struct agpu_fixture agpu_device_fixture;

#endif
