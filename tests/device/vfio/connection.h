/* connection.h: the socket of one client: receives whole messages with their descriptors and sends replies.
 * Never blocks. */
#ifndef VGPU_TESTS_DEVICE_VFIO_CONNECTION_H
#define VGPU_TESTS_DEVICE_VFIO_CONNECTION_H

#include <stdbool.h>

#include "tests/device/vfio/codec.h"
#include "tests/device/vfio/framer.h"

struct vgpu_vfio_connection {
    int fd;      /* -1 = no client */
    size_t sent; /* bytes of out that were sent */
    struct vgpu_vfio_framer in;
    struct vgpu_vfio_reply out;
};

enum vgpu_vfio_receipt {
    VGPU_VFIO_MESSAGE, /* in.bytes holds a message; call vgpu_vfio_framer_next() after handling it */
    VGPU_VFIO_WAIT,    /* no more data for now */
    VGPU_VFIO_BAD,  /* the message boundary is lost: *error is the errno value, in.bytes holds the header */
    VGPU_VFIO_GONE, /* the client closed the socket, or it failed */
};

void vgpu_vfio_connection_init(struct vgpu_vfio_connection *connection);
/* Takes over a connected socket and makes it non-blocking. */
void vgpu_vfio_connection_open(struct vgpu_vfio_connection *connection, int fd);
/* Closes the socket and all received descriptors that were not taken. */
void vgpu_vfio_connection_close(struct vgpu_vfio_connection *connection);

/* Receives until a message is complete. */
enum vgpu_vfio_receipt vgpu_vfio_connection_receive(struct vgpu_vfio_connection *connection, int *error);

/* Sends the rest of out as far as the socket accepts it. Returns false when the client is gone. */
bool vgpu_vfio_connection_send(struct vgpu_vfio_connection *connection);
/* True while part of out is unsent: wait until the socket is writable, and do not receive before. */
bool vgpu_vfio_connection_is_full(const struct vgpu_vfio_connection *connection);

#endif
