/* wire_capture.h: captures a device from its side of the wire (tests/capture): the machine's accesses, the memory
 * that its submissions name, the device's writes. */
#ifndef AGPU_HOST_VDEV_WIRE_CAPTURE_H
#define AGPU_HOST_VDEV_WIRE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

struct vgpu_port;
struct agpu_wire_capture;

/* Creates the file and observes the device behind port from here on. Returns NULL with the reason in message. */
struct agpu_wire_capture *agpu_wire_capture_open(const char *path, struct vgpu_port *port, char *message,
                                                 size_t message_size);

/* Stops observing, and closes the file. Returns false with the reason in message when it is incomplete. NULL is
 * allowed. The port must still exist. */
bool agpu_wire_capture_close(struct agpu_wire_capture *capture, char *message, size_t message_size);

#endif
