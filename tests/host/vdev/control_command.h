/* control_command.h: the commands of the control socket of `agpu vdev`: one line in, one line of JSON out, followed
 * by the bytes of a PNG for images. Does not use the socket itself. */
#ifndef AGPU_HOST_VDEV_CONTROL_COMMAND_H
#define AGPU_HOST_VDEV_CONTROL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_device;

/* Access to the device, which belongs to another thread: visit runs look(device, arg) there and returns when it has
 * finished; false when the device no longer exists. look must only copy. */
struct agpu_control_access {
    void *ctx;
    bool (*visit)(void *ctx, void (*look)(struct vgpu_device *device, void *arg), void *arg);
};

/* text includes its line end; blob follows it on the wire. Both are malloc'd; text is NULL when memory is exhausted. */
struct agpu_control_reply {
    char *text;
    size_t text_length;
    uint8_t *blob;
    size_t blob_length;
};

/* Executes one line (without its end; trailing CR and blanks are ignored). Every line gets a reply: {"ok":true,...}
 * or {"ok":false,"error":"..."}. */
void agpu_control_execute(const struct agpu_control_access *access, const char *line,
                          struct agpu_control_reply *reply);

/* Creates the reply to a line that could not be read. */
void agpu_control_refuse(struct agpu_control_reply *reply, const char *error);

void agpu_control_reply_free(struct agpu_control_reply *reply);

#endif
