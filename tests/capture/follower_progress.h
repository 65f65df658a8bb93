/* follower_progress.h: what came back from the device. */
#ifndef AGPU_CAPTURE_FOLLOWER_PROGRESS_H
#define AGPU_CAPTURE_FOLLOWER_PROGRESS_H

#include "tests/capture/follower_state.h"

/* After anything that may have let the device work, and whenever the driver looks at what the device writes: progress is
 * written down. */
void agpu_follower_look(struct agpu_follower *follower);

/* The last fence of which it is known that it has completed, by page or registers. */
uint64_t agpu_follower_fence_seen(const struct agpu_follower *follower);

/* The words by which the device tells, as they are now: the ring's head, the fence of its page. */
static inline uint32_t agpu_follower_read_head(const uint8_t *head)
{
    return __atomic_load_n((const uint32_t *)(const void *)head, __ATOMIC_ACQUIRE);
}

static inline uint64_t agpu_follower_read_fence(const uint8_t *fence)
{
    return __atomic_load_n((const uint64_t *)(const void *)fence, __ATOMIC_ACQUIRE);
}

/* A look would find nothing: these words are as they were, and nothing else has been since. For who looks often: in place, since
 * for an emulator a call costs more than this. */
static inline bool agpu_follower_is_quiet(const struct agpu_follower *follower)
{
    return follower->quiet && agpu_follower_read_head(follower->quiet_head_at) == follower->quiet_head &&
           agpu_follower_read_fence(follower->quiet_fence_at) == follower->quiet_fence;
}

/* A look where the driver goes on as if the device had come to rest: if nothing is under way, that is said. */
void agpu_follower_look_last(struct agpu_follower *follower);

/* Takes the oldest submission for finished, and tells what it named: as CHANGED, what it left; as CONTENTS, what it and the
 * driver did. */
void agpu_follower_finish_oldest(struct agpu_follower *follower, enum agpu_capture_type type);

#endif
