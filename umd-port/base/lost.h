/* lost.h: recovers packets of a failed submission: those that create objects or carry CPU data are saved and start the
 * next submission, before anything can use them (umd.md 12.3). */
#ifndef AGPU_UMD_BASE_LOST_H
#define AGPU_UMD_BASE_LOST_H

#include "umd-port/base/device.h"

/* Limit of saved uploads, in bytes of packets: an application that continues while nothing reaches the device must not
 * make the driver grow without bound. */
#define AGPU_LOST_CONTENT_BYTES ((uint64_t)64 << 20)
/* After this many failures in a row nothing is saved: the saved packets may be the cause. */
#define AGPU_LOST_IN_A_ROW 16u

/* Saves the packets of the recorded stream, from the one at unsent on, that create, destroy, share and fill objects,
 * and the list entries that they refer to. The packet at unsendable (may be NULL) is not saved. False: there is nothing
 * to save and the stream is unchanged. */
bool agpu_keep_lost(struct agpu_device *device, const uint8_t *unsent, const uint8_t *unsendable);

/* Call before a resource is destroyed of which packets may still be recorded. Drops the packets that need its memory
 * and, if its creation is among them, all packets that name it. */
void agpu_forget_resource(struct agpu_device *device, const struct agpu_resource *resource);

#endif
