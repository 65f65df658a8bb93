/* listener.c: creates, probes and removes the socket file. */
#include "tests/device/vfio/listener.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The server has one client at a time; a few others may connect and are refused. */
#define BACKLOG 4

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Removes a stale socket at the address. Returns 0 when the path is free. */
static int clear_way(const struct sockaddr_un *address, char *message, size_t size)
{
    struct stat status;
    int probe, error;

    if (lstat(address->sun_path, &status) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    if (!S_ISSOCK(status.st_mode)) {
        snprintf(message, size, "%s exists and is not a socket: choose another path", address->sun_path);
        return EEXIST;
    }
    probe = new_socket();
    if (probe < 0) {
        return errno;
    }
    error = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 ? 0 : errno;
    close(probe);
    if (error == 0 || error == EAGAIN) { /* EAGAIN: a server listens, and its queue is full */
        snprintf(message, size, "another server listens at %s: stop it or choose another path",
                 address->sun_path);
        return EADDRINUSE;
    }
    if (error != ECONNREFUSED) {
        return error;
    }
    return unlink(address->sun_path) == 0 || errno == ENOENT ? 0 : errno;
}

static int bind_and_listen(struct vgpu_vfio_listener *listener)
{
    struct stat status;

    /* The file gets the mode of the unbound socket, so other users can never connect. */
    if (fchmod(listener->fd, S_IRUSR | S_IWUSR) != 0 ||
        bind(listener->fd, (const struct sockaddr *)&listener->address, sizeof listener->address) != 0) {
        return errno;
    }
    if (listen(listener->fd, BACKLOG) != 0 || lstat(listener->address.sun_path, &status) != 0) {
        const int error = errno;

        unlink(listener->address.sun_path);
        return error;
    }
    listener->device = status.st_dev;
    listener->inode = status.st_ino;
    return 0;
}

int vgpu_vfio_listener_open(struct vgpu_vfio_listener *listener, const char *path, char *message,
                            size_t message_size)
{
    const size_t length = strlen(path);
    int error;

    memset(listener, 0, sizeof *listener);
    listener->fd = -1;
    message[0] = '\0';
    if (length == 0 || length >= sizeof listener->address.sun_path) {
        snprintf(message, message_size, "socket path of %zu bytes: expected 1 to %zu", length,
                 sizeof listener->address.sun_path - 1);
        return ENAMETOOLONG;
    }
    listener->address.sun_family = AF_UNIX;
    memcpy(listener->address.sun_path, path, length + 1);

    error = clear_way(&listener->address, message, message_size);
    if (error == 0) {
        listener->fd = new_socket();
        error = listener->fd < 0 ? errno : bind_and_listen(listener);
    }
    if (error != 0 && listener->fd >= 0) {
        close(listener->fd);
        listener->fd = -1;
    }
    if (error != 0 && message[0] == '\0') {
        snprintf(message, message_size, "cannot listen at %s: %s", path, strerror(error));
    }
    return error;
}

void vgpu_vfio_listener_close(struct vgpu_vfio_listener *listener)
{
    struct stat status;

    if (listener->fd < 0) {
        return;
    }
    if (lstat(listener->address.sun_path, &status) == 0 && status.st_dev == listener->device &&
        status.st_ino == listener->inode) {
        unlink(listener->address.sun_path);
    }
    close(listener->fd);
    listener->fd = -1;
}
