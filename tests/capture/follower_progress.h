/* follower_progress.h: records the progress of the device. */
#ifndef AGPU_CAPTURE_FOLLOWER_PROGRESS_H
#define AGPU_CAPTURE_FOLLOWER_PROGRESS_H

#include "tests/capture/follower_state.h"

/* Polls for progress and records it. To be called after anything that may have let the device work, and whenever the
 * driver reads what the device writes. */
void agpu_follower_poll(struct agpu_follower *follower);

/* Returns the last fence known to have completed, by page or registers. */
uint64_t agpu_follower_fence_seen(const struct agpu_follower *follower);

/* Read the words by which the device reports progress: the ring's head, the fence in its page. */
static inline uint32_t agpu_follower_read_head(const uint8_t *head)
{
    return __atomic_load_n((const uint32_t *)(const void *)head, __ATOMIC_ACQUIRE);
}

static inline uint64_t agpu_follower_read_fence(const uint8_t *fence)
{
    return __atomic_load_n((const uint64_t *)(const void *)fence, __ATOMIC_ACQUIRE);
}

/* Returns true if a poll would find nothing: these words and everything else are unchanged. For frequent polling,
 * inlined because in an emulator a call costs more than this. */
static inline bool agpu_follower_is_quiet(const struct agpu_follower *follower)
{
    return follower->quiet && agpu_follower_read_head(follower->quiet_head_at) == follower->quiet_head &&
           agpu_follower_read_fence(follower->quiet_fence_at) == follower->quiet_fence;
}

/* A poll at a point where the driver continues as if the device were idle: if nothing is in flight, records that. */
void agpu_follower_poll_last(struct agpu_follower *follower);

/* Treats the oldest submission as finished, and records the memory that it named: as CHANGED, by the device; as
 * CONTENTS, by the device and the driver. */
void agpu_follower_finish_oldest(struct agpu_follower *follower, enum agpu_capture_type type);

#endif
