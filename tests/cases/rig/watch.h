/* watch.h: observes the device while it works, to check the order of its actions. On a machine that calls back between
 * two steps of the device (test_system.h, observe), each step is observed; if the device works in parallel with the
 * processor, the processor polls as fast as it can. */
#ifndef AGPU_CASES_RIG_WATCH_H
#define AGPU_CASES_RIG_WATCH_H

#include "tests/cases/rig/submit.h"

/* Rings the doorbell and calls poll_device(ctx) until it returns true. poll_device reads memory, and registers if
 * `registers` is true, and may write memory that the device no longer uses. Returns false, with a failed check, after
 * the time limit of a fence. */
#define agpu_watch(t, poll_device, ctx) agpu_watch_at((t), (poll_device), (ctx), AGPU_HERE)
bool agpu_watch_at(struct agpu_test *test, bool (*poll_device)(void *ctx, bool registers), void *ctx,
                   struct agpu_where where);

/* Returns true if each step of the device is observed: a few rounds then show what otherwise takes hundreds. */
bool agpu_watch_sees_steps(const struct agpu_test *test);

#endif
