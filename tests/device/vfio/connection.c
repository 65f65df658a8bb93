/* connection.c: non-blocking recvmsg() and sendmsg() for one client. */
#include "tests/device/vfio/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union fd_control {
    char bytes[CMSG_SPACE(VGPU_VFIO_MAX_FDS * sizeof(int))];
    struct cmsghdr align;
};

void vgpu_vfio_connection_init(struct vgpu_vfio_connection *connection)
{
    connection->fd = -1;
    connection->sent = 0;
    connection->out.length = 0;
    connection->out.fd = -1;
    vgpu_vfio_framer_init(&connection->in);
}

void vgpu_vfio_connection_open(struct vgpu_vfio_connection *connection, int fd)
{
    vgpu_vfio_connection_init(connection);
    connection->fd = fd;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void vgpu_vfio_connection_close(struct vgpu_vfio_connection *connection)
{
    vgpu_vfio_framer_next(&connection->in);
    if (connection->fd >= 0) {
        close(connection->fd);
    }
    vgpu_vfio_connection_init(connection);
}

/* Takes the descriptors. Returns false when some were lost or there are too many: the message is then
 * unusable. */
static bool take_fds(struct vgpu_vfio_framer *in, struct msghdr *message)
{
    bool good = (message->msg_flags & MSG_CTRUNC) == 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
            good = vgpu_vfio_framer_received_fd(in, fd) && good;
        }
    }
    return good;
}

enum vgpu_vfio_receipt vgpu_vfio_connection_receive(struct vgpu_vfio_connection *connection, int *error)
{
    while (!vgpu_vfio_framer_complete(&connection->in)) {
        union fd_control control;
        struct iovec piece;
        struct msghdr message = {
            .msg_iov = &piece,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof control.bytes,
        };
        ssize_t got;

        /* Receives at most the rest of one message: the kernel would otherwise deliver the descriptors of a
         * later message with it. */
        piece.iov_base = vgpu_vfio_framer_space(&connection->in, &piece.iov_len);
        do {
            got = recvmsg(connection->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK ? VGPU_VFIO_WAIT : VGPU_VFIO_GONE;
        }
        if (got == 0 || !take_fds(&connection->in, &message)) {
            return VGPU_VFIO_GONE;
        }
        *error = vgpu_vfio_framer_received(&connection->in, (size_t)got);
        if (*error != 0) {
            return VGPU_VFIO_BAD;
        }
    }
    return VGPU_VFIO_MESSAGE;
}

static void attach_fd(struct msghdr *message, union fd_control *control, int fd)
{
    struct cmsghdr *c;

    memset(control, 0, sizeof *control);
    message->msg_control = control->bytes;
    message->msg_controllen = CMSG_SPACE(sizeof(int));
    c = CMSG_FIRSTHDR(message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
}

bool vgpu_vfio_connection_send(struct vgpu_vfio_connection *connection)
{
    struct vgpu_vfio_reply *out = &connection->out;

    while (connection->sent < out->length) {
        union fd_control control;
        struct iovec piece = {out->bytes + connection->sent, out->length - connection->sent};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
        ssize_t sent;

        if (connection->sent == 0 && out->fd >= 0) {
            attach_fd(&message, &control, out->fd);
        }
        sent = sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
        connection->sent += (size_t)sent;
    }
    connection->sent = 0;
    out->length = 0;
    return true;
}

bool vgpu_vfio_connection_is_full(const struct vgpu_vfio_connection *connection)
{
    return connection->sent < connection->out.length;
}
