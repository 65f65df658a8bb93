/* messages.h: interrupts by message in a replay: the device is told to send them, and each that was captured must come. */
#ifndef AGPU_HOST_REPLAY_MESSAGES_H
#define AGPU_HOST_REPLAY_MESSAGES_H

#include "tests/host/replay/player.h"

/* The device was reset, and sends none. */
void agpu_replay_messages_begin(struct agpu_player *replay);

/* From here on interrupts come as the capture says, where the device has that; else none are compared. */
void agpu_replay_messages_way(struct agpu_player *replay, const struct agpu_capture_way *way);

/* The driver is about to acknowledge: what was sent until now is done with. fence: that the device shows. */
void agpu_replay_messages_acknowledged(struct agpu_player *replay, uint64_t fence);

/* Whether a captured message has come, or need not: the cause came earlier here, with one that was acknowledged already, or
 * is a vertical blank, which is a matter of time. */
bool agpu_replay_message_came(struct agpu_player *replay, const struct agpu_capture_line *line);

#endif
