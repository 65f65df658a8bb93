/* watch.h: looking at the device while it works, to see the order of what it does.
 *
 * Where the machine calls between two steps of the device (platform.h, observe), each of them is looked at; where
 * the device works beside the processor, the processor looks as fast as it can. */
#ifndef AGPU_CASES_RIG_WATCH_H
#define AGPU_CASES_RIG_WATCH_H

#include "tests/cases/rig/submit.h"

/* Rings the doorbell and calls look(ctx) until it yields true: what it waits for is there. look reads memory, and
 * registers if it may, and writes memory that the device no longer uses. False, with a failed check, when the time of a
 * fence is over. */
#define agpu_watch(t, look, ctx) agpu_watch_at((t), (look), (ctx), AGPU_HERE)
bool agpu_watch_at(struct agpu_test *test, bool (*look)(void *ctx, bool registers), void *ctx,
                   struct agpu_where where);

/* Whether each step of the device is looked at: a few rounds then show what otherwise takes hundreds. */
bool agpu_watch_sees_steps(const struct agpu_test *test);

#endif
