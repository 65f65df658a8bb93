/* framer.h: splits the byte stream of a connection into messages with their descriptors. No I/O: it states
 * where to put the next bytes and how many. */
#ifndef VGPU_TESTS_DEVICE_VFIO_FRAMER_H
#define VGPU_TESTS_DEVICE_VFIO_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/vfio/codec.h"

/* Owns the descriptors in fds until the caller takes them by setting them to -1. */
struct vgpu_vfio_framer {
    size_t length;   /* bytes received of the current message */
    size_t expected; /* number of bytes for the next step: the header, then the whole message */
    size_t fd_count;
    int fds[VGPU_VFIO_MAX_FDS];
    uint8_t bytes[VGPU_VFIO_MAX_MESSAGE];
};

void vgpu_vfio_framer_init(struct vgpu_vfio_framer *framer);

/* Returns the address for the next bytes and their maximum number (> 0). Never extends beyond the current
 * message, so descriptors received with these bytes belong to it. */
uint8_t *vgpu_vfio_framer_space(struct vgpu_vfio_framer *framer, size_t *size);

/* Records that `size` bytes were stored there. Returns 0, or the errno value of vgpu_vfio_decode_header():
 * close the connection. */
int vgpu_vfio_framer_received(struct vgpu_vfio_framer *framer, size_t size);

/* Takes ownership of a descriptor that came with the current message. Returns false, with it closed, when
 * there are too many. */
bool vgpu_vfio_framer_received_fd(struct vgpu_vfio_framer *framer, int fd);

/* True when bytes[0 .. length) is a whole message. */
bool vgpu_vfio_framer_complete(const struct vgpu_vfio_framer *framer);

/* Drops the current message and closes its descriptors that were not taken. */
void vgpu_vfio_framer_next(struct vgpu_vfio_framer *framer);

#endif
