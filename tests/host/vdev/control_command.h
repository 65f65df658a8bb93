/* control_command.h: the commands of the control socket of `agpu vdev`: one line in, one line of JSON out,
 * for images followed by the bytes of a PNG. No socket here. */
#ifndef AGPU_HOST_VDEV_CONTROL_COMMAND_H
#define AGPU_HOST_VDEV_CONTROL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_device;

/* How a command gets at the device, which belongs to another thread: visit runs look(device, arg) there and
 * returns when it is done; false when there is no device any more. look only copies. */
struct agpu_control_access {
    void *ctx;
    bool (*visit)(void *ctx, void (*look)(struct vgpu_device *device, void *arg), void *arg);
};

/* text ends with a line end; blob follows it on the wire. Both from malloc; text is NULL when memory is
 * exhausted. */
struct agpu_control_reply {
    char *text;
    size_t text_length;
    uint8_t *blob;
    size_t blob_length;
};

/* Executes one line (without its end; trailing CR and blanks are ignored). Every line gets a reply:
 * {"ok":true,...} or {"ok":false,"error":"..."}. */
void agpu_control_execute(const struct agpu_control_access *access, const char *line,
                          struct agpu_control_reply *reply);

/* The reply to a line that was not even read. */
void agpu_control_refuse(struct agpu_control_reply *reply, const char *error);

void agpu_control_reply_free(struct agpu_control_reply *reply);

#endif
