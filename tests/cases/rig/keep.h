/* keep.h: a ring that stays up from one case to the next. What a case wrote to the device is known; where that was work and
 * nothing else, one ring reset, seen to happen, leaves what a whole restart leaves (device.md 4.2). */
#ifndef AGPU_CASES_RIG_KEEP_H
#define AGPU_CASES_RIG_KEEP_H

#include "tests/cases/rig/env.h"

/* Takes note of a write to configuration space or to a register, just before it is made; also from an interrupt. */
void agpu_keep_wrote(struct agpu_env *env, const struct agpu_account_write *write);

/* Everything that is written from here on is the case's. */
void agpu_keep_begin(struct agpu_env *env);

/* What the ring's registers hold, for agpu_ring_reprogram() and agpu_ring_replace(); NULL where writes may have been lost. */
const struct agpu_ring_held *agpu_keep_held(const struct agpu_env *env);

/* Nothing is known of that any more. */
void agpu_keep_forget_held(struct agpu_env *env);

/* Whether the case wrote anything at all, to configuration space, or to more of that than the command register. */
bool agpu_keep_wrote_anything(const struct agpu_env *env);
bool agpu_keep_wrote_config(const struct agpu_env *env);
bool agpu_keep_wrote_bars(const struct agpu_env *env);

/* The same inside a case, for what begins anew with the ring as it was brought up: true when one reset was enough. */
bool agpu_keep_renew(struct agpu_env *env);

/* True when the ring is up and fresh again and the device otherwise as it was before the case: it passed, it wrote nothing
 * but work, the ring's registers and the screen's, and configuration space, which was restored; and the reset was seen in
 * memory. After the first such case and every 32nd, and every fourth where the mask or the screen's registers were written,
 * it is looked for in the registers too, and the device shows no fence and no cause. Where the ring was moved it is programmed
 * anew. Else nothing can be said, and the device has to be made quiet as a whole. Now and then false anyway,
 * so that a run restarts it from nothing many times. */
bool agpu_keep_ring(struct agpu_env *env);

/* The device made quiet behind a case that ended well, as far as the case has touched it. stopped: its ring was stopped before,
 * which was seen. */
enum agpu_status agpu_keep_silent(struct agpu_env *env, bool stopped);

/* A ring that was kept and has the fence page that is wanted now. */
bool agpu_kept_ring_fits(const struct agpu_env *env, bool page);

#endif
