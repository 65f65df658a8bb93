/* listener.h: the UNIX socket that clients connect to: makes it, replaces what a dead server left behind,
 * removes it. */
#ifndef VGPU_TESTS_DEVICE_VFIO_LISTENER_H
#define VGPU_TESTS_DEVICE_VFIO_LISTENER_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

struct vgpu_vfio_listener {
    int fd; /* -1 = not listening */
    struct sockaddr_un address;
    dev_t device; /* identity of the socket file, so that only our own is removed */
    ino_t inode;
};

/* Listens at path, for this user only. A socket file without a listener is replaced; one with a live
 * server, or anything that is not a socket, is left alone and is an error. Two servers that start at the same
 * path in the same instant are the caller's mistake to avoid. Returns 0, or an errno value with a sentence
 * for the user in message. */
int vgpu_vfio_listener_open(struct vgpu_vfio_listener *listener, const char *path, char *message,
                            size_t message_size);

/* Stops listening and removes the socket file if it still is ours. */
void vgpu_vfio_listener_close(struct vgpu_vfio_listener *listener);

#endif
