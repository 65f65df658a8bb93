#include "tests/device/vfio/framer.h"

#include <unistd.h>

void agpu_vfio_framer_init(struct agpu_vfio_framer *framer)
{
    framer->length = 0;
    framer->expected = sizeof(struct agpu_vfio_header);
    framer->fd_count = 0;
}

uint8_t *agpu_vfio_framer_space(struct agpu_vfio_framer *framer, size_t *size)
{
    *size = framer->expected - framer->length;
    return framer->bytes + framer->length;
}

int agpu_vfio_framer_received(struct agpu_vfio_framer *framer, size_t size)
{
    struct agpu_vfio_header header;
    int error;

    framer->length += size;
    if (framer->length != sizeof(header) || framer->expected != sizeof(header)) {
        return 0;
    }
    error = agpu_vfio_decode_header(framer->bytes, &header);
    if (error == 0) {
        framer->expected = header.size;
    }
    return error;
}

bool agpu_vfio_framer_received_fd(struct agpu_vfio_framer *framer, int fd)
{
    if (framer->fd_count == AGPU_VFIO_MAX_FDS) {
        close(fd);
        return false;
    }
    framer->fds[framer->fd_count++] = fd;
    return true;
}

bool agpu_vfio_framer_complete(const struct agpu_vfio_framer *framer)
{
    return framer->length == framer->expected && framer->length >= sizeof(struct agpu_vfio_header);
}

void agpu_vfio_framer_next(struct agpu_vfio_framer *framer)
{
    for (size_t i = 0; i < framer->fd_count; i++) {
        if (framer->fds[i] >= 0) {
            close(framer->fds[i]);
        }
    }
    agpu_vfio_framer_init(framer);
}
