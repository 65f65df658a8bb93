/* messages.h: interrupts by message in a replay: sets up the device to send them, and checks that each captured
 * message arrives. */
#ifndef AGPU_HOST_REPLAY_MESSAGES_H
#define AGPU_HOST_REPLAY_MESSAGES_H

#include "tests/host/replay/player.h"

/* The device was reset, and sends no messages. */
void agpu_replay_messages_begin(struct agpu_player *replay);

/* From here on interrupts are delivered as in the capture, if the device supports that; otherwise they are not
 * compared. */
void agpu_replay_messages_way(struct agpu_player *replay, const struct agpu_capture_way *way);

/* The driver is about to acknowledge: messages sent until now are done. fence: the fence that the device shows. */
void agpu_replay_messages_acknowledged(struct agpu_player *replay, uint64_t fence);

/* Returns true when a captured message has arrived, or need not arrive: its cause came earlier here, with a message
 * that was already acknowledged, or it is a vertical blank, which depends on time. */
bool agpu_replay_message_came(struct agpu_player *replay, const struct agpu_capture_line *line);

#endif
