/* compare.h: finds and records differences in a replay. */
#ifndef AGPU_HOST_REPLAY_COMPARE_H
#define AGPU_HOST_REPLAY_COMPARE_H

#include "tests/host/replay/player.h"

/* Stops the replay with a difference at the current record, which the caller fills in. */
struct agpu_replay_difference *agpu_replay_differ(struct agpu_player *replay, enum agpu_replay_kind kind);

/* Compares everything that the captured device changed, and that this one wrote, since memory was last at rest. */
void agpu_replay_compare_memory(struct agpu_player *replay);

#endif
