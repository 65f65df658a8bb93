/* listener.h: the UNIX socket for clients: creates it, replaces the socket of a dead server, removes it. */
#ifndef VGPU_TESTS_DEVICE_VFIO_LISTENER_H
#define VGPU_TESTS_DEVICE_VFIO_LISTENER_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

struct vgpu_vfio_listener {
    int fd; /* -1 = not listening */
    struct sockaddr_un address;
    dev_t device; /* identity of the socket file, so that only this server's file is removed */
    ino_t inode;
};

/* Listens at path, for this user only. Replaces a socket file without a listener. The socket of a live server,
 * or a file of another type, is left alone and is an error. The caller must not start two servers with the
 * same path at the same time. Returns 0, or an errno value with a sentence for the user in message. */
int vgpu_vfio_listener_open(struct vgpu_vfio_listener *listener, const char *path, char *message,
                            size_t message_size);

/* Stops listening and removes the socket file if it is still this server's. */
void vgpu_vfio_listener_close(struct vgpu_vfio_listener *listener);

#endif
