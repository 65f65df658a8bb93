/* replay.h: replays the records of a capture on a device behind the plug-in table and compares its answers
 * (tests/handbook/capture.md). */
#ifndef AGPU_HOST_REPLAY_REPLAY_H
#define AGPU_HOST_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/capture/memory.h"
#include "tests/host/capture/reader.h"
#include "tests/host/replay/outcome.h"

struct agpu_player;

/* Creates the device. Returns NULL with the reason in message. The calling thread is the device's owner. */
struct agpu_player *agpu_replay_create(const struct agpu_replay_config *config, char *message,
                                       size_t message_size);
void agpu_replay_destroy(struct agpu_player *replay);

/* Plays one record. After any result but GOES_ON it returns the same result again, until agpu_replay_again(). */
enum agpu_replay_state agpu_replay_feed(struct agpu_player *replay, const struct agpu_capture_item *item);

/* Resets the replay, for another capture or the same: the first record resets the device. */
void agpu_replay_again(struct agpu_player *replay);

const struct agpu_replay_difference *agpu_replay_found(const struct agpu_player *replay);

/* Returns the counts so far. */
const struct agpu_replay_counts *agpu_replay_tally(const struct agpu_player *replay);

/* Returns the memory contents according to the capture at this point, for the explanation of a difference. */
const struct agpu_capture_memory *agpu_replay_memory(const struct agpu_player *replay);

struct vgpu_port;
struct vgpu_port *agpu_replay_port(struct agpu_player *replay);

#endif
