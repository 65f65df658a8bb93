/* compare.h: differences of a replay. */
#ifndef AGPU_HOST_REPLAY_COMPARE_H
#define AGPU_HOST_REPLAY_COMPARE_H

#include "tests/host/replay/player.h"

/* Ends the replay with a difference at the present record, for the caller to fill in. */
struct agpu_replay_difference *agpu_replay_differ(struct agpu_player *replay, enum agpu_replay_kind kind);

/* Compares all that the captured device changed, and all that this one asked to write, since memory was at rest last. */
void agpu_replay_compare_memory(struct agpu_player *replay);

#endif
