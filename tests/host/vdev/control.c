/* control.c: the thread of the control socket, and the transfer of its requests to the device's thread. */
#include "tests/host/vdev/control.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/device/vfio/listener.h"
#include "tests/host/monotonic.h"
#include "tests/host/vdev/control_client.h"

/* Limit of clients at a time; each may hold a reply with one image. A further one displaces the one that has been idle
 * longest; while each of them takes a reply, it waits in the socket's queue. */
#define MAX_CLIENTS 4

struct agpu_control {
    struct vgpu_vfio_listener listener;
    int stop_fd;  /* eventfd: the thread must exit */
    int visit_fd; /* eventfd: a request waits */
    pthread_t thread;
    struct agpu_control_client clients[MAX_CLIENTS]; /* only the thread uses them */
    pthread_mutex_t lock;
    pthread_cond_t answered;
    /* Protected by the lock: the request, and whether requests are still answered. */
    void (*look)(struct vgpu_device *device, void *arg);
    void *arg;
    bool closing;
};

static uint64_t now_ms(void)
{
    return agpu_monotonic_ns() / 1000000;
}

/* Fails only when the counter is full, which does not happen with one event at a time. */
static void set_event(int fd)
{
    (void)!eventfd_write(fd, 1);
}

static void clear_event(int fd)
{
    eventfd_t count;

    (void)!eventfd_read(fd, &count);
}

/* Runs on the control thread. */
static bool ask_server(void *ctx, void (*look)(struct vgpu_device *device, void *arg), void *arg)
{
    struct agpu_control *control = ctx;
    bool done;

    pthread_mutex_lock(&control->lock);
    control->look = look;
    control->arg = arg;
    set_event(control->visit_fd);
    while (control->look != NULL && !control->closing) {
        pthread_cond_wait(&control->answered, &control->lock);
    }
    done = control->look == NULL;
    control->look = NULL;
    pthread_mutex_unlock(&control->lock);
    return done;
}

void agpu_control_visit(void *ctx, struct vgpu_device *device)
{
    struct agpu_control *control = ctx;

    clear_event(control->visit_fd);
    pthread_mutex_lock(&control->lock);
    if (control->look != NULL) {
        control->look(device, control->arg);
        control->look = NULL;
        pthread_cond_signal(&control->answered);
    }
    pthread_mutex_unlock(&control->lock);
}

int agpu_control_visit_fd(const struct agpu_control *control)
{
    return control->visit_fd;
}

enum { WATCH_STOP, WATCH_LISTENER, WATCH_CLIENTS, WATCH_COUNT = WATCH_CLIENTS + MAX_CLIENTS };

static struct agpu_control_client *free_client(struct agpu_control *control)
{
    struct agpu_control_client *idle = NULL;

    for (size_t i = 0; i < MAX_CLIENTS; i++) {
        struct agpu_control_client *client = &control->clients[i];

        if (client->fd < 0) {
            return client;
        }
        if (!agpu_control_client_is_sending(client) &&
            (idle == NULL || client->progress_ms < idle->progress_ms)) {
            idle = client;
        }
    }
    return idle;
}

static void wait_for_something(struct agpu_control *control, struct pollfd *fds)
{
    int timeout = -1;

    fds[WATCH_STOP] = (struct pollfd){.fd = control->stop_fd, .events = POLLIN};
    fds[WATCH_LISTENER] =
        (struct pollfd){.fd = free_client(control) != NULL ? control->listener.fd : -1, .events = POLLIN};
    for (size_t i = 0; i < MAX_CLIENTS; i++) {
        const bool sending = agpu_control_client_is_sending(&control->clients[i]);

        fds[WATCH_CLIENTS + i] =
            (struct pollfd){.fd = control->clients[i].fd, .events = sending ? POLLOUT : POLLIN};
        timeout = sending ? (int)AGPU_CONTROL_PATIENCE_MS : timeout;
    }
    if (poll(fds, WATCH_COUNT, timeout) < 0) {
        memset(fds, 0, WATCH_COUNT * sizeof *fds);
    }
}

static void *control_thread(void *arg)
{
    struct agpu_control *control = arg;
    const struct agpu_control_access access = {control, ask_server};
    struct pollfd fds[WATCH_COUNT];

    for (;;) {
        wait_for_something(control, fds);
        if (fds[WATCH_STOP].revents != 0) {
            return NULL;
        }
        for (size_t i = 0; i < MAX_CLIENTS; i++) {
            struct agpu_control_client *client = &control->clients[i];

            if (client->fd >= 0 &&
                (fds[WATCH_CLIENTS + i].revents != 0 || agpu_control_client_is_sending(client))) {
                agpu_control_client_step(client, &access, now_ms());
            }
        }
        if (fds[WATCH_LISTENER].revents != 0) {
            const int fd = accept4(control->listener.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

            struct agpu_control_client *client = free_client(control);

            if (fd >= 0 && client != NULL) {
                agpu_control_client_close(client);
                agpu_control_client_open(client, fd, now_ms());
            } else if (fd >= 0) {
                close(fd);
            }
        }
    }
}

/* Frees what is created before the thread; also for a failed open. */
static void release_control(struct agpu_control *control)
{
    for (size_t i = 0; i < MAX_CLIENTS; i++) {
        agpu_control_client_close(&control->clients[i]);
    }
    vgpu_vfio_listener_close(&control->listener);
    if (control->stop_fd >= 0) {
        close(control->stop_fd);
    }
    if (control->visit_fd >= 0) {
        close(control->visit_fd);
    }
    pthread_cond_destroy(&control->answered);
    pthread_mutex_destroy(&control->lock);
    free(control);
}

struct agpu_control *agpu_control_open(const char *path, char *message, size_t message_size)
{
    struct agpu_control *control = calloc(1, sizeof *control);

    if (control == NULL) {
        snprintf(message, message_size, "memory is exhausted");
        return NULL;
    }
    pthread_mutex_init(&control->lock, NULL);
    pthread_cond_init(&control->answered, NULL);
    for (size_t i = 0; i < MAX_CLIENTS; i++) {
        agpu_control_client_init(&control->clients[i]);
    }
    control->listener.fd = -1;
    control->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    control->visit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control->stop_fd < 0 || control->visit_fd < 0) {
        snprintf(message, message_size, "no descriptors for the control socket");
    } else if (vgpu_vfio_listener_open(&control->listener, path, message, message_size) == 0) {
        if (pthread_create(&control->thread, NULL, control_thread, control) == 0) {
            return control;
        }
        snprintf(message, message_size, "no thread for the control socket");
    }
    release_control(control);
    return NULL;
}

void agpu_control_close(struct agpu_control *control)
{
    if (control == NULL) {
        return;
    }
    pthread_mutex_lock(&control->lock);
    control->closing = true;
    pthread_cond_signal(&control->answered);
    pthread_mutex_unlock(&control->lock);
    set_event(control->stop_fd);
    pthread_join(control->thread, NULL);
    release_control(control);
}
