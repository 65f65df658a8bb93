/* wire_capture.h: a capture of a device from its own side of the wire (tests/capture): what the machine asks of it, what of
 * memory its submissions name, what it wrote. */
#ifndef AGPU_HOST_VDEV_WIRE_CAPTURE_H
#define AGPU_HOST_VDEV_WIRE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

struct vgpu_port;
struct agpu_wire_capture;

/* Creates the file and looks at the device behind port from here on. NULL with the reason in message. */
struct agpu_wire_capture *agpu_wire_capture_open(const char *path, struct vgpu_port *port, char *message,
                                                 size_t message_size);

/* Looks no longer, and ends the file. False with the reason in message when it is not complete. NULL is allowed. The port must
 * still be there. */
bool agpu_wire_capture_close(struct agpu_wire_capture *capture, char *message, size_t message_size);

#endif
