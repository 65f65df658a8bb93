/* control.h: the control socket of `agpu vdev`: lets others look into the running device. It lives on a
 * thread of its own; the device's thread only makes copies when it is asked to, so that no client can hold it
 * up. */
#ifndef AGPU_HOST_VDEV_CONTROL_H
#define AGPU_HOST_VDEV_CONTROL_H

#include <stddef.h>

struct agpu_control;
struct vgpu_device;

/* Listens at path and starts the thread. NULL with a sentence for the user in message. The caller blocks the
 * signals that it handles itself before this. */
struct agpu_control *agpu_control_open(const char *path, char *message, size_t message_size);

/* Readable when agpu_control_visit() is to be called on the device's thread, with the control as ctx. */
int agpu_control_visit_fd(const struct agpu_control *control);
void agpu_control_visit(void *ctx, struct vgpu_device *device);

/* Ends clients, thread and socket. The device is no longer visited. NULL is allowed. */
void agpu_control_close(struct agpu_control *control);

#endif
