/* connection.h: the socket of one client: receives whole messages with their descriptors, sends replies, and
 * never blocks. */
#ifndef VGPU_TESTS_DEVICE_VFIO_CONNECTION_H
#define VGPU_TESTS_DEVICE_VFIO_CONNECTION_H

#include <stdbool.h>

#include "tests/device/vfio/codec.h"
#include "tests/device/vfio/framer.h"

struct vgpu_vfio_connection {
    int fd;      /* -1 = no client */
    size_t sent; /* bytes of out that are on their way */
    struct vgpu_vfio_framer in;
    struct vgpu_vfio_reply out;
};

enum vgpu_vfio_receipt {
    VGPU_VFIO_MESSAGE, /* in.bytes holds one; vgpu_vfio_framer_next() when it is handled */
    VGPU_VFIO_WAIT,    /* nothing more for now */
    VGPU_VFIO_BAD, /* the stream cannot be followed any further: *error says why; in.bytes holds the header */
    VGPU_VFIO_GONE, /* the client closed, or the socket failed */
};

void vgpu_vfio_connection_init(struct vgpu_vfio_connection *connection);
/* Takes over a connected socket and makes it non-blocking. */
void vgpu_vfio_connection_open(struct vgpu_vfio_connection *connection, int fd);
/* Closes the socket and every descriptor that was received and not taken. */
void vgpu_vfio_connection_close(struct vgpu_vfio_connection *connection);

/* Receives until a message is whole. */
enum vgpu_vfio_receipt vgpu_vfio_connection_receive(struct vgpu_vfio_connection *connection, int *error);

/* Sends what is left of out, as far as the socket takes it. False when the client is gone. */
bool vgpu_vfio_connection_send(struct vgpu_vfio_connection *connection);
/* True while part of out could not be sent: wait until the socket is writable, and receive nothing before. */
bool vgpu_vfio_connection_is_full(const struct vgpu_vfio_connection *connection);

#endif
