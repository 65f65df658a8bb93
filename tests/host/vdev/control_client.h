/* control_client.h: one client of the control socket: receives lines and sends replies, without blocking. */
#ifndef AGPU_HOST_VDEV_CONTROL_CLIENT_H
#define AGPU_HOST_VDEV_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/vdev/control_command.h"

/* Longest line, including its end. */
#define AGPU_CONTROL_LINE 4608u

/* Time that a client may leave its reply unread. */
#define AGPU_CONTROL_PATIENCE_MS 30000u

struct agpu_control_client {
    int fd; /* -1 = free */
    size_t length;
    char line[AGPU_CONTROL_LINE];
    struct agpu_control_reply reply;
    size_t sent;          /* of text and blob in total */
    bool last;            /* disconnect after this reply */
    bool ended;           /* it sent its last line */
    uint64_t progress_ms; /* when it connected, last sent a line, or took part of a reply */
};

void agpu_control_client_init(struct agpu_control_client *client);
void agpu_control_client_open(struct agpu_control_client *client, int fd, uint64_t now_ms);
void agpu_control_client_close(struct agpu_control_client *client);

/* Returns true while a reply is being sent: no further line is read. */
bool agpu_control_client_is_sending(const struct agpu_control_client *client);

/* Does everything that is possible without blocking: receives, executes line by line, sends. now_ms: any monotonic
 * clock. Closes the client when it has finished. */
void agpu_control_client_step(struct agpu_control_client *client, const struct agpu_control_access *access,
                              uint64_t now_ms);

#endif
