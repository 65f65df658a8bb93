/* follower_ring.h: what the driver shows to the device. */
#ifndef AGPU_CAPTURE_FOLLOWER_RING_H
#define AGPU_CAPTURE_FOLLOWER_RING_H

#include "tests/capture/follower_state.h"

/* The ring, as the device is about to see it: its header, and for each submission that is new its slot and a record. Of a ring
 * that no device takes entries from, all of it. */
void agpu_follower_tell_ring(struct agpu_follower *follower);
void agpu_follower_tell_legacy_ring(struct agpu_follower *follower);
/* A case begins with a ring that is up already, and fresh: what led there, as writes of an earlier case. */
void agpu_follower_tell_kept_ring(struct agpu_follower *follower);

#endif
