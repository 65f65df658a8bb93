/* prerequisites_prove.h: proves the prerequisites of cases (prerequisites.h) on a ring that was just started. */
#ifndef AGPU_CASES_RIG_PREREQUISITES_PROVE_H
#define AGPU_CASES_RIG_PREREQUISITES_PROVE_H

#include "tests/cases/rig/env.h"

/* Checks that empty submissions complete. The first five of a run also measure its latency. Returns false if the
 * first does not complete, or one of up to 64 on a device that often timed out: text gets the state of the device.
 * Uses up fence numbers: the caller must restart the ring. */
bool agpu_prove_fence(struct agpu_env *env, struct agpu_text *text);

/* Runs empty submissions on a legacy ring, only to measure its latency: the case finds a failure itself. The caller
 * must restart the ring. */
void agpu_measure_legacy_latency(struct agpu_env *env);

/* Call after these: checks that the fence page, if the ring has one, shows the last fence within 100 ms. */
bool agpu_prove_page(const struct agpu_env *env, struct agpu_text *text);

/* Call after these: checks that the ring head passes every slot within 100 ms. */
bool agpu_prove_head(const struct agpu_env *env, struct agpu_text *text);

/* Checks that 64 bytes can be read back from the device in one of three ways: an uploaded buffer, a guest-backed
 * buffer that was declared dirty, or an uploaded texture, each copied with write-back. Returns false if none of them
 * works: text gets what arrived instead. The caller must restart the ring. */
bool agpu_prove_read_back(struct agpu_env *env, struct agpu_text *text);

#endif
