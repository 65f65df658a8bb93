/* lost.h: what becomes of the packets of a submission that failed: objects and what the CPU put into them are kept and
 * begin the next submission, before anything can use them (umd.md 12.3). */
#ifndef AGPU_UMD_BASE_LOST_H
#define AGPU_UMD_BASE_LOST_H

#include "umd-port/base/device.h"

/* Lost uploads that are kept, in bytes of packets; an application that goes on while nothing reaches the device must not
 * make the driver grow without bound. */
#define AGPU_LOST_CONTENT_BYTES ((uint64_t)64 << 20)
/* Failures in a row after which nothing is kept: what is kept may be the cause. */
#define AGPU_LOST_IN_A_ROW 16u

/* Of the recorded stream, from the packet at unsent on, keeps packets that create, destroy, share and fill objects, except
 * the one at unsendable (may be NULL), and of the list what they refer to. False: there is nothing to keep, the stream is
 * as it was. */
bool agpu_keep_lost(struct agpu_device *device, const uint8_t *unsent, const uint8_t *unsendable);

/* A resource goes although packets about it may still be recorded: those that need its memory are dropped, and when its
 * creation is among them, all that name it. */
void agpu_forget_resource(struct agpu_device *device, const struct agpu_resource *resource);

#endif
