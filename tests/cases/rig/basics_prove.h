/* basics_prove.h: the proofs of what cases stand on (basics.h), on a ring that was just brought up. */
#ifndef AGPU_CASES_RIG_BASICS_PROVE_H
#define AGPU_CASES_RIG_BASICS_PROVE_H

#include "tests/cases/rig/env.h"

/* Empty submissions complete; how long the first five of a run take is its latency. False when the first does
 * not, or any of up to 64 on a device that was late often: text gets what the device shows. Fences are used up: the ring is to be started again. */
bool agpu_prove_fence(struct agpu_env *env, struct agpu_text *text);

/* The same on a legacy ring, for its latency alone: a failure is for the case to find. The ring is to be started again. */
void agpu_measure_legacy_latency(struct agpu_env *env);

/* Behind that: the fence page, if the ring runs with one, shows the last fence within a tenth of a second. */
bool agpu_prove_page(const struct agpu_env *env, struct agpu_text *text);

/* Behind that: the ring head shows that every slot was consumed, within a tenth of a second. */
bool agpu_prove_head(const struct agpu_env *env, struct agpu_text *text);

/* 64 bytes come back from the device in one of three ways: a buffer that was uploaded, a buffer of guest
 * memory that was declared dirty, a texture that was uploaded, each copied with write-back. False when none
 * of them works: text gets what arrived instead. The ring is to be started again. */
bool agpu_prove_read_back(struct agpu_env *env, struct agpu_text *text);

#endif
