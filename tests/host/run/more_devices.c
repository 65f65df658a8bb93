/* more_devices.c: starts `agpu vdev` for each further device. */
#include "tests/host/run/more_devices.h"
#include "tests/host/device_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define READY_MS 10000

static void close_descriptor(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

void agpu_more_devices_init(struct agpu_more_devices *more)
{
    *more = (struct agpu_more_devices){.events = -1};
    for (unsigned i = 0; i < AGPU_MORE_DEVICES_MAX; i++) {
        more->of[i].process = AGPU_PROCESS_NONE;
        more->of[i].output = more->of[i].report = -1;
    }
}

/* Waits until the device listens: it writes a line to the ready descriptor. */
static bool wait_ready(struct agpu_one_more_device *device, const char *name, int signal_fd, char *error,
                       size_t size)
{
    struct pollfd fds[] = {{.fd = device->report, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
    char line[256], how[80] = "it did not report that it listens", output[240] = "", words[240];
    ssize_t length;

    while (poll(fds, 2, READY_MS) < 0 && errno == EINTR) {
    }
    if ((fds[0].revents & POLLIN) != 0 && read(device->report, line, sizeof line) > 0) {
        return true;
    }
    if (agpu_process_wait(&device->process, fds[0].revents != 0 ? 1000 : 0)) {
        agpu_process_describe(&device->process, how, sizeof how);
    }
    fcntl(device->output, F_SETFL, O_NONBLOCK);
    length = read(device->output, output, sizeof output - 1);
    output[length > 0 ? length : 0] = '\0';
    snprintf(error, size, "the device %s did not start: %s%s%s", name, how, output[0] != '\0' ? ": " : "",
             agpu_output_reason(output, words, sizeof words));
    return false;
}

static bool watch(struct agpu_more_devices *more, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    return epoll_ctl(more->events, EPOLL_CTL_ADD, fd, &event) == 0;
}

static bool start_one(struct agpu_more_devices *more, const struct agpu_run_options *options,
                      const char *work, int signal_fd, char *error, size_t size)
{
    const char *name = options->more_devices[more->count];
    struct agpu_one_more_device *device = &more->of[more->count];
    int ready[2] = {-1, -1}, output[2] = {-1, -1};
    bool good;

    snprintf(device->socket, sizeof device->socket, "%s/vdev%u.sock", work, more->count + 2);
    char *argv[13] = {"/proc/self/exe", "vdev", "--socket", device->socket,
                      "--ready-fd",     "3",    "--device", (char *)(uintptr_t)name};
    size_t n = 8;

    if (agpu_run_keeps_together(options)) {
        argv[n++] = "--spin-us";
        argv[n++] = "0";
    }
    if (options->save_restore != NULL) {
        argv[n++] = "--save-restore";
        argv[n++] = (char *)(uintptr_t)options->save_restore;
    }
    good = agpu_output_open_ready(ready, &device->restores_key, options->save_restore != NULL) &&
           pipe2(output, O_CLOEXEC) == 0;
    if (good) {
        const struct agpu_child_fd fds[] = {{output[1], 1}, {output[1], 2}, {ready[1], 3}};

        good = agpu_process_start(&device->process, argv, fds, 3);
    }
    if (!good) {
        snprintf(error, size, "the device %s cannot be started: %s", name, strerror(errno));
    }
    close_descriptor(&ready[1]);
    close_descriptor(&output[1]);
    device->output = output[0];
    device->report = ready[0];
    more->count++;
    good = good && wait_ready(device, name, signal_fd, error, size);
    if (good && !(watch(more, device->output) && watch(more, device->process.pidfd))) {
        snprintf(error, size, "the device %s cannot be watched: %s", name, strerror(errno));
        return false;
    }
    return good;
}

bool agpu_more_devices_start(struct agpu_more_devices *more, const struct agpu_run_options *options,
                             const char *work, int signal_fd, char *error, size_t error_size)
{
    if (options->more_device_count == 0) {
        return true;
    }
    more->events = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned i = 0; i < options->more_device_count; i++) {
        if (!start_one(more, options, work, signal_fd, error, error_size)) {
            return false;
        }
    }
    return true;
}

/* Stops polling the ended device: its descriptor would stay readable from then on. */
static bool has_ended(const struct agpu_more_devices *more, struct agpu_one_more_device *device)
{
    struct pollfd fd = {.fd = device->process.pidfd, .events = POLLIN};

    if (poll(&fd, 1, 0) <= 0) {
        return false;
    }
    epoll_ctl(more->events, EPOLL_CTL_DEL, fd.fd, NULL);
    return agpu_process_poll(&device->process);
}

bool agpu_more_devices_take(struct agpu_more_devices *more,
                            void (*log)(void *ctx, const char *who, const char *line, size_t length),
                            void *ctx, char *text, size_t size)
{
    bool ended = false;

    for (unsigned i = 0; i < more->count; i++) {
        struct agpu_one_more_device *device = &more->of[i];
        struct pollfd fd = {.fd = device->output, .events = POLLIN};
        char who[16], how[80];

        snprintf(who, sizeof who, "vdev %u", i + 2);
        while (fd.fd >= 0 && poll(&fd, 1, 0) > 0) {
            char bytes[4096];
            const ssize_t n = read(fd.fd, bytes, sizeof bytes);

            if (n <= 0) {
                close_descriptor(&device->output);
                break;
            }
            for (size_t at = 0; at < (size_t)n;) {
                const char *line;
                size_t length;

                at += agpu_line_stream_take(&device->lines, bytes + at, (size_t)n - at, &line, &length);
                if (line != NULL) {
                    log(ctx, who, line, length);
                    agpu_output_take(device->last_words, sizeof device->last_words, line, length);
                }
            }
        }
        if (device->process.pid > 0 && !device->process.ended && has_ended(more, device) &&
            device->process.status != 0 &&
            !ended) { /* status 0: its client QEMU has ended, which the caller detects itself */
            agpu_process_describe(&device->process, how, sizeof how);
            snprintf(text, size, "%s%sdevice %u ended: %s", device->last_words,
                     device->last_words[0] != '\0' ? "; " : "", i + 2, how);
            ended = true;
        }
    }
    return ended;
}

bool agpu_more_devices_signal(const struct agpu_more_devices *more, int number)
{
    bool runs = false;

    for (unsigned i = 0; i < more->count; i++) {
        if (more->of[i].process.pid > 0 && !more->of[i].process.ended) {
            runs = kill(more->of[i].process.pid, number) == 0 || runs;
        }
    }
    return runs;
}

void agpu_more_devices_end(struct agpu_more_devices *more)
{
    for (unsigned i = 0; i < more->count; i++) {
        agpu_process_kill(&more->of[i].process);
        close_descriptor(&more->of[i].output);
        close_descriptor(&more->of[i].report);
        unlink(more->of[i].socket);
    }
    close_descriptor(&more->events);
    more->count = 0;
}
