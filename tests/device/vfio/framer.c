/* framer.c: message boundaries in a byte stream, and the descriptors of each message. */
#include "tests/device/vfio/framer.h"

#include <unistd.h>

void vgpu_vfio_framer_init(struct vgpu_vfio_framer *framer)
{
    framer->length = 0;
    framer->expected = sizeof(struct vgpu_vfio_header);
    framer->fd_count = 0;
}

uint8_t *vgpu_vfio_framer_space(struct vgpu_vfio_framer *framer, size_t *size)
{
    *size = framer->expected - framer->length;
    return framer->bytes + framer->length;
}

int vgpu_vfio_framer_received(struct vgpu_vfio_framer *framer, size_t size)
{
    struct vgpu_vfio_header header;
    int error;

    framer->length += size;
    if (framer->length != sizeof header || framer->expected != sizeof header) {
        return 0;
    }
    error = vgpu_vfio_decode_header(framer->bytes, &header);
    if (error == 0) {
        framer->expected = header.size;
    }
    return error;
}

bool vgpu_vfio_framer_received_fd(struct vgpu_vfio_framer *framer, int fd)
{
    if (framer->fd_count == VGPU_VFIO_MAX_FDS) {
        close(fd);
        return false;
    }
    framer->fds[framer->fd_count++] = fd;
    return true;
}

bool vgpu_vfio_framer_complete(const struct vgpu_vfio_framer *framer)
{
    return framer->length == framer->expected && framer->length >= sizeof(struct vgpu_vfio_header);
}

void vgpu_vfio_framer_next(struct vgpu_vfio_framer *framer)
{
    for (size_t i = 0; i < framer->fd_count; i++) {
        if (framer->fds[i] >= 0) {
            close(framer->fds[i]);
        }
    }
    vgpu_vfio_framer_init(framer);
}
