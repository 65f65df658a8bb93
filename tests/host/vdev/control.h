/* control.h: the control socket of `agpu vdev`: lets other programs inspect the running device. Runs on its own
 * thread; the device's thread only makes copies on request, so that no client can block it. */
#ifndef AGPU_HOST_VDEV_CONTROL_H
#define AGPU_HOST_VDEV_CONTROL_H

#include <stddef.h>

struct agpu_control;
struct vgpu_device;

/* Listens at path and starts the thread. Returns NULL with a sentence for the user in message. The caller must block
 * the signals that it handles itself before this. */
struct agpu_control *agpu_control_open(const char *path, char *message, size_t message_size);

/* Returns a descriptor that is readable when agpu_control_visit() must be called on the device's thread, with the
 * control as ctx. */
int agpu_control_visit_fd(const struct agpu_control *control);
void agpu_control_visit(void *ctx, struct vgpu_device *device);

/* Closes clients, thread and socket. The device is no longer visited. NULL is allowed. */
void agpu_control_close(struct agpu_control *control);

#endif
