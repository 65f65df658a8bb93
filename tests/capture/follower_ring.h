/* follower_ring.h: records what the driver shows to the device. */
#ifndef AGPU_CAPTURE_FOLLOWER_RING_H
#define AGPU_CAPTURE_FOLLOWER_RING_H

#include "tests/capture/follower_state.h"

/* Records the ring as the device is about to see it: its header, and for each new submission its slot and a record.
 * If no device can take entries from the ring, records all of it. */
void agpu_follower_record_ring(struct agpu_follower *follower);
void agpu_follower_record_legacy_ring(struct agpu_follower *follower);
/* For a case that starts with a running, fresh ring: records how it was set up, as writes of an earlier case. */
void agpu_follower_record_reused_ring(struct agpu_follower *follower);

#endif
