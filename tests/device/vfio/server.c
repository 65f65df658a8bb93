/* server.c: the poll loop: one client, service points, time, stop. */
#include "tests/device/vfio/server.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/device/monotonic.h"
#include "tests/device/vfio/connection.h"
#include "tests/device/vfio/listener.h"

/* Messages to handle before the loop checks its other descriptors again. */
#define MESSAGES_PER_STEP 64

struct vgpu_vfio_server {
    struct vgpu_vfio_server_config config;
    struct vgpu_vfio_session *session;
    struct vgpu_vfio_listener listener;
    uint64_t epoch_ns;     /* CLOCK_MONOTONIC at creation: 0 of the machine clock */
    uint64_t deadline;     /* machine time of the device's next service point */
    uint64_t last_message; /* machine time */
    uint64_t spin_until;   /* machine time */
    bool finished;         /* the only client has disconnected */
    struct vgpu_vfio_connection connection;
};

static uint64_t machine_time(void *ctx)
{
    const struct vgpu_vfio_server *server = ctx;

    return vgpu_monotonic_ns() - server->epoch_ns;
}

struct vgpu_vfio_server *vgpu_vfio_server_create(const struct vgpu_vfio_server_config *config, char *message,
                                                 size_t message_size)
{
    struct vgpu_vfio_server *server = calloc(1, sizeof *server);
    struct vgpu_vfio_session_config session = {
        .device = config->device,
        .options = config->options,
        .trust_description = config->trust_description,
        .map_vram = config->map_vram,
        .save = config->save,
        .now_ns = machine_time,
        .now_ctx = server,
        .log = config->log,
    };

    if (server == NULL) {
        snprintf(message, message_size, "no memory");
        return NULL;
    }
    server->config = *config;
    server->epoch_ns = vgpu_monotonic_ns();
    server->deadline = UINT64_MAX;
    server->listener.fd = -1;
    vgpu_vfio_connection_init(&server->connection);
    server->session = vgpu_vfio_session_create(&session, message, message_size);
    if (server->session == NULL) {
        free(server);
        return NULL;
    }
    return server;
}

void vgpu_vfio_server_destroy(struct vgpu_vfio_server *server)
{
    if (server == NULL) {
        return;
    }
    vgpu_vfio_connection_close(&server->connection);
    vgpu_vfio_listener_close(&server->listener);
    vgpu_vfio_session_destroy(server->session);
    free(server);
}

int vgpu_vfio_server_listen(struct vgpu_vfio_server *server, const char *path, char *message,
                            size_t message_size)
{
    return vgpu_vfio_listener_open(&server->listener, path, message, message_size);
}

bool vgpu_vfio_server_has_client(const struct vgpu_vfio_server *server)
{
    return server->connection.fd >= 0;
}

bool vgpu_vfio_server_adopt(struct vgpu_vfio_server *server, int fd)
{
    if (vgpu_vfio_server_has_client(server)) {
        vgpu_vfio_log(vgpu_vfio_session_log(server->session), "a second client was turned away");
        close(fd);
        return false;
    }
    vgpu_vfio_connection_open(&server->connection, fd);
    vgpu_vfio_session_connect(server->session);
    return true;
}

static void drop_client(struct vgpu_vfio_server *server)
{
    const bool was_real = vgpu_vfio_session_negotiated(server->session);

    vgpu_vfio_connection_close(&server->connection);
    vgpu_vfio_session_disconnect(server->session);
    server->deadline = vgpu_vfio_session_service(server->session);
    if (was_real) {
        vgpu_vfio_log(vgpu_vfio_session_log(server->session), "client: gone");
        server->finished = server->config.once;
    }
}

static void accept_client(struct vgpu_vfio_server *server)
{
    const int fd = accept4(server->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0) {
        vgpu_vfio_server_adopt(server, fd);
    }
}

enum served { SERVED_NONE, SERVED_SILENTLY, SERVED_WITH_REPLY };

/* Receives and answers one message, then gives the device a service point. */
static enum served serve_message(struct vgpu_vfio_server *server)
{
    struct vgpu_vfio_connection *connection = &server->connection;
    struct vgpu_vfio_framer *in = &connection->in;
    enum served served;
    bool keep = false;
    int error = 0;

    switch (vgpu_vfio_connection_receive(connection, &error)) {
    case VGPU_VFIO_WAIT:
        return SERVED_NONE;
    case VGPU_VFIO_GONE:
        drop_client(server);
        return SERVED_NONE;
    case VGPU_VFIO_BAD:
        vgpu_vfio_session_refuse(server->session, in->bytes, error, &connection->out);
        break;
    case VGPU_VFIO_MESSAGE:
        keep = vgpu_vfio_session_handle(server->session, in->bytes, in->length, in->fds, in->fd_count,
                                        &connection->out);
        vgpu_vfio_framer_next(in);
        break;
    }
    served = connection->out.length != 0 ? SERVED_WITH_REPLY : SERVED_SILENTLY;
    /* The client waits for the reply, not for the device's work: send the reply first. */
    if (!vgpu_vfio_connection_send(connection) || !keep) {
        drop_client(server);
        return SERVED_NONE;
    }
    server->deadline = vgpu_vfio_session_service(server->session);
    return served;
}

static void serve_client(struct vgpu_vfio_server *server)
{
    enum served served;
    int handled = 0;

    if (vgpu_vfio_connection_is_full(&server->connection)) {
        if (!vgpu_vfio_connection_send(&server->connection)) {
            drop_client(server);
        }
        return;
    }
    /* A client that gets a reply has rarely sent another message before it: asking for one costs a system call, and the
     * loop asks anyway. */
    do {
        served = serve_message(server);
        handled += served != SERVED_NONE;
    } while (served == SERVED_SILENTLY && handled < MESSAGES_PER_STEP);
    if (handled != 0) {
        const uint64_t now = machine_time(server);

        /* Spin only in a burst: a single access is not worth a busy processor. */
        if (now - server->last_message < server->config.spin_ns) {
            server->spin_until = now + server->config.spin_ns;
        }
        server->last_message = now;
    }
}

enum {
    WATCH_STOP,
    WATCH_WAKE,
    WATCH_LISTENER,
    WATCH_CLIENT,
    WATCH_UNMASK,
    WATCH_VISITORS,
    WATCH_COUNT = WATCH_VISITORS + VGPU_VFIO_VISITORS
};

/* ppoll() ignores entries with a negative descriptor. */
static int watch_fds(struct vgpu_vfio_server *server, struct pollfd *fds, uint64_t wait_ns)
{
    const struct timespec wait = {
        .tv_sec = (time_t)(wait_ns / 1000000000u),
        .tv_nsec = (long)(wait_ns % 1000000000u),
    };
    const bool full = vgpu_vfio_connection_is_full(&server->connection);

    memset(fds, 0, WATCH_COUNT * sizeof *fds);
    fds[WATCH_STOP].fd = server->config.stop_fd;
    fds[WATCH_WAKE].fd = vgpu_vfio_session_wake_fd(server->session);
    fds[WATCH_LISTENER].fd = server->listener.fd;
    fds[WATCH_CLIENT].fd = server->connection.fd;
    fds[WATCH_UNMASK].fd = vgpu_vfio_session_unmask_fd(server->session);
    for (int i = 0; i < VGPU_VFIO_VISITORS; i++) {
        const struct vgpu_vfio_visitor *visitor = &server->config.visitors[i];

        fds[WATCH_VISITORS + i].fd = visitor->visit == NULL ? -1 : visitor->fd;
    }
    for (int i = 0; i < WATCH_COUNT; i++) {
        fds[i].events = POLLIN;
    }
    if (full) {
        fds[WATCH_CLIENT].events = POLLOUT;
    }
    return ppoll(fds, WATCH_COUNT, wait_ns == UINT64_MAX ? NULL : &wait, NULL);
}

/* Returns the time until the device or the caller needs a call; 0 while another message is likely. */
static uint64_t time_to_wait(struct vgpu_vfio_server *server, uint64_t max_wait_ns)
{
    uint64_t now, wait = max_wait_ns;

    if (server->deadline == UINT64_MAX && server->spin_until == 0) {
        return wait;
    }
    now = machine_time(server);
    if (now < server->spin_until) {
        return 0;
    }
    server->spin_until = 0;
    if (server->deadline != UINT64_MAX) {
        const uint64_t left = server->deadline > now ? server->deadline - now : 0;

        wait = left < wait ? left : wait;
    }
    return wait;
}

enum vgpu_vfio_step vgpu_vfio_server_step(struct vgpu_vfio_server *server, uint64_t max_wait_ns)
{
    struct pollfd fds[WATCH_COUNT];

    if (watch_fds(server, fds, time_to_wait(server, max_wait_ns)) < 0) {
        return errno == EINTR ? VGPU_VFIO_RUNNING : VGPU_VFIO_FAILED;
    }
    for (int i = 0; i < VGPU_VFIO_VISITORS; i++) {
        if (fds[WATCH_VISITORS + i].revents != 0) {
            server->config.visitors[i].visit(server->config.visitors[i].ctx,
                                             vgpu_vfio_session_port(server->session));
        }
    }
    if (fds[WATCH_STOP].revents != 0) {
        return VGPU_VFIO_STOPPED;
    }
    if (fds[WATCH_WAKE].revents != 0) {
        vgpu_vfio_session_wake_event(server->session);
    }
    if (fds[WATCH_UNMASK].revents != 0) {
        vgpu_vfio_session_unmask_event(server->session);
    }
    if (fds[WATCH_CLIENT].revents != 0) {
        serve_client(server);
    } else if (server->spin_until != 0) {
        sched_yield(); /* the client may be waiting for this processor */
    }
    if (fds[WATCH_LISTENER].revents != 0) {
        accept_client(server);
    }
    server->deadline = vgpu_vfio_session_service(server->session);
    return server->finished ? VGPU_VFIO_STOPPED : VGPU_VFIO_RUNNING;
}

enum vgpu_vfio_step vgpu_vfio_server_run(struct vgpu_vfio_server *server)
{
    enum vgpu_vfio_step step;

    do {
        step = vgpu_vfio_server_step(server, UINT64_MAX);
    } while (step == VGPU_VFIO_RUNNING);
    return step;
}

struct vgpu_port *vgpu_vfio_server_port(struct vgpu_vfio_server *server)
{
    return vgpu_vfio_session_port(server->session);
}

struct vgpu_vfio_stats vgpu_vfio_server_stats(const struct vgpu_vfio_server *server)
{
    return vgpu_vfio_session_stats(server->session);
}
