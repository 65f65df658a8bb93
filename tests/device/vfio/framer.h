/* framer.h: cuts the byte stream of a connection into messages with their file descriptors. No I/O: it says
 * how many bytes it wants next and where. */
#ifndef VGPU_TESTS_DEVICE_VFIO_FRAMER_H
#define VGPU_TESTS_DEVICE_VFIO_FRAMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/vfio/codec.h"

/* Owns the descriptors in fds until the taker of a message sets them to -1. */
struct vgpu_vfio_framer {
    size_t length;   /* bytes of the current message that are here */
    size_t expected; /* bytes after which to look again: the header, then the whole message */
    size_t fd_count;
    int fds[VGPU_VFIO_MAX_FDS];
    uint8_t bytes[VGPU_VFIO_MAX_MESSAGE];
};

void vgpu_vfio_framer_init(struct vgpu_vfio_framer *framer);

/* Where the next bytes belong and how many at most (> 0). Never reaches beyond the current message, so
 * descriptors received with these bytes belong to it. */
uint8_t *vgpu_vfio_framer_space(struct vgpu_vfio_framer *framer, size_t *size);

/* Accounts for `size` bytes put there. Returns 0, or the errno value of vgpu_vfio_decode_header(): close. */
int vgpu_vfio_framer_received(struct vgpu_vfio_framer *framer, size_t size);

/* Takes ownership of a descriptor that came with the current message. False (and closed) when there are too
 * many. */
bool vgpu_vfio_framer_received_fd(struct vgpu_vfio_framer *framer, int fd);

/* True when a whole message lies in bytes[0 .. length). */
bool vgpu_vfio_framer_complete(const struct vgpu_vfio_framer *framer);

/* Drops the current message and closes the descriptors that were not taken. */
void vgpu_vfio_framer_next(struct vgpu_vfio_framer *framer);

#endif
