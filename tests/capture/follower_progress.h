/* follower_progress.h: what came back from the device. */
#ifndef AGPU_CAPTURE_FOLLOWER_PROGRESS_H
#define AGPU_CAPTURE_FOLLOWER_PROGRESS_H

#include "tests/capture/follower_state.h"

/* After anything that may have let the device work, and whenever the driver looks at what the device writes: progress is
 * written down. */
void agpu_follower_look(struct agpu_follower *follower);

/* The last fence of which it is known that it has completed, by page or registers. */
uint64_t agpu_follower_fence_seen(const struct agpu_follower *follower);

/* A look would find nothing: the words by which the device tells are as they were, and nothing else has been since. For who
 * looks often. */
bool agpu_follower_is_quiet(const struct agpu_follower *follower);

/* A look where the driver goes on as if the device had come to rest: if nothing is under way, that is said. */
void agpu_follower_look_last(struct agpu_follower *follower);

/* Takes the oldest submission for finished, and tells what it named: as CHANGED, what it left; as CONTENTS, what it and the
 * driver did. */
void agpu_follower_finish_oldest(struct agpu_follower *follower, enum agpu_capture_type type);

#endif
