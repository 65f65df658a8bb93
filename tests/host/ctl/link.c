/* link.c: sockets and serial ports, never used without a time limit. */
#include "tests/host/ctl/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/host/ctl/look_up.h"
#include "tests/host/monotonic.h"

#define AGAIN_MS 200
/* For the handshake: an image that is under attack by strangers may have dropped this connection, and its end may
 * have been lost. */
#define GREETING_MS 10000u

static uint64_t now_ms(void)
{
    return agpu_monotonic_ns() / 1000000;
}

static int remaining_ms(uint64_t until)
{
    const uint64_t now = now_ms();

    return now >= until ? 0 : until - now > 3600000 ? 3600000 : (int)(until - now);
}

static bool wait_for(int fd, short events, uint64_t until)
{
    struct pollfd one = {.fd = fd, .events = events};
    int count;

    do {
        count = poll(&one, 1, remaining_ms(until));
    } while (count < 0 && errno == EINTR && remaining_ms(until) != 0);
    return count > 0;
}

/* Splits "HOST:PORT"; host has room for all of it. */
static const char *split_target(const char *target, char *host, char *port)
{
    const char *colon = strrchr(target, ':');
    size_t length = strlen(target);
    char *end;

    sprintf(port, "%d", AGPU_CTL_PORT);
    if (length > 200) {
        return "the name of the host is too long";
    }
    if (colon != NULL && (strchr(target, ':') == colon || target[0] == '[') && strchr(colon, ']') == NULL) {
        const unsigned long number = strtoul(colon + 1, &end, 10);

        if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || number == 0 || number > 65535) {
            return "expected a port from 1 to 65535 after the colon";
        }
        sprintf(port, "%lu", number);
        length = (size_t)(colon - target);
    }
    if (target[0] == '[' && length > 2 && target[length - 1] == ']') {
        target++;
        length -= 2;
    }
    memcpy(host, target, length);
    host[length] = '\0';
    return NULL;
}

/* Returns a connected socket, or -1 with errno. */
static int connect_once(const struct addrinfo *to, uint64_t until)
{
    const int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol),
              on = 1;
    socklen_t size = sizeof(int);
    int error = 0;

    if (fd < 0) {
        return -1;
    }
    if (connect(fd, to->ai_addr, to->ai_addrlen) != 0) {
        if (errno != EINPROGRESS) {
            error = errno;
        } else if (!wait_for(fd, POLLOUT, until)) {
            error = ETIMEDOUT;
        } else {
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        }
    }
    if (error != 0) {
        close(fd);
        errno = error;
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static const char *wrong(struct agpu_ctl_link *link, const char *text)
{
    char reason[AGPU_CTL_REFUSE_MAX + 1];

    snprintf(reason, sizeof reason, "%s", text);
    agpu_ctl_link_close(link);
    memcpy(link->client.reason, reason, sizeof reason);
    return link->client.reason;
}

void agpu_ctl_link_close(struct agpu_ctl_link *link)
{
    if (link->fd >= 0) {
        if (link->on_serial && link->serial.link.state == AGPU_SERIAL_OPEN) {
            agpu_ctl_serial_end(&link->serial, link->fd, &link->client);
        }
        close(link->fd);
    }
    link->fd = -1;
}

static enum agpu_ctl_event end_with(struct agpu_ctl_link *link, const char *text, const char *more)
{
    snprintf(link->client.reason, sizeof link->client.reason, "%s%s", text, more);
    return AGPU_CTL_ENDED;
}

static bool send_all(struct agpu_ctl_link *link, uint64_t until)
{
    const uint8_t *bytes;
    size_t size;

    if (link->on_serial) {
        return agpu_ctl_serial_send(&link->serial, link->fd, &link->client, agpu_monotonic_ns());
    }
    while ((size = agpu_ctl_client_output(&link->client, &bytes)) != 0) {
        const ssize_t sent = send(link->fd, bytes, size, MSG_NOSIGNAL);

        if (sent > 0) {
            agpu_ctl_client_sent(&link->client, (size_t)sent);
        } else if (errno != EAGAIN && errno != EINTR) {
            return false;
        } else if (!wait_for(link->fd, POLLOUT, until)) {
            errno = ETIMEDOUT;
            return false;
        }
    }
    return true;
}

/* Returns when something must be done even if nothing arrives. */
static uint64_t wake_ms(const struct agpu_ctl_link *link, uint64_t until)
{
    const uint64_t line_ns = link->on_serial ? agpu_serial_link_deadline(&link->serial.link) : UINT64_MAX;

    return line_ns / 1000000 < until ? line_ns / 1000000 + 1 : until;
}

static ssize_t receive(struct agpu_ctl_link *link)
{
    char bytes[4096];
    uint8_t *to;
    ssize_t came;

    if (!link->on_serial) {
        const size_t room = agpu_ctl_client_room(&link->client, &to);

        came = recv(link->fd, to, room, 0);
        agpu_ctl_client_came(&link->client, came > 0 ? (size_t)came : 0);
        return came;
    }
    came = read(link->fd, bytes, sizeof bytes);
    agpu_ctl_serial_take(&link->serial, bytes, came > 0 ? (size_t)came : 0, &link->client);
    return came;
}

/* Handles a signal of an impatient user: the first time the image is asked to stop, the second time the request is
 * abandoned. */
static bool take_signal(struct agpu_ctl_link *link)
{
    struct signalfd_siginfo info;

    if (read(link->signal_fd, &info, sizeof info) != sizeof info) {
        return true;
    }
    if (link->signals++ != 0) {
        return false;
    }
    agpu_ctl_client_halt(&link->client);
    fputs(
        "agpu ctl: no further case; waiting for the running case to end (interrupt again to quit at once)\n",
        stderr);
    return true;
}

/* Waits for the next event. */
static enum agpu_ctl_event next_event(struct agpu_ctl_link *link, uint64_t until)
{
    for (;;) {
        const enum agpu_ctl_event event = agpu_ctl_client_next(&link->client);
        struct pollfd fds[] = {{.fd = link->fd, .events = POLLIN}, {.fd = link->signal_fd, .events = POLLIN}};

        if (event != AGPU_CTL_NOTHING) {
            return event;
        }
        if (!send_all(link, until)) {
            return end_with(link, "the connection broke: ", strerror(errno));
        }
        if (link->on_serial && link->serial.link.state != AGPU_SERIAL_OPEN) {
            return link->serial.link.state == AGPU_SERIAL_ENDED
                       ? end_with(link, "the image closed the connection", "")
                       : end_with(link,
                                  "no answer on this serial port: check that the image is running, that its "
                                  "agpu.cfg has control=...,serial, and the speed",
                                  "");
        }
        const int count = poll(fds, 2, remaining_ms(wake_ms(link, until)));
        if (count == 0 && remaining_ms(until) == 0) {
            return end_with(link, "no answer in time", "");
        }
        if (count > 0 && fds[1].revents != 0 && !take_signal(link)) {
            return end_with(link, "interrupted: the request may still be running in the image", "");
        }
        if (count <= 0 || fds[0].revents == 0) {
            continue;
        }
        const ssize_t came = receive(link);
        if (came == 0 || (came < 0 && errno != EAGAIN && errno != EINTR)) {
            return end_with(link, "the image closed the connection", "");
        }
    }
}

/* Returns true when connected, or when a retry is pointless. */
static bool try_target(struct agpu_ctl_link *link, const struct agpu_ctl_target *target,
                       const struct addrinfo *all, bool halts, uint64_t until, const char **failed)
{
    const char *no_port = NULL;
    uint8_t nonce[AGPU_WIRE_NONCE];
    uint64_t connection;

    *failed = NULL;
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce ||
        getrandom(&connection, sizeof connection, 0) != sizeof connection) {
        *failed = wrong(link, "no random numbers from the kernel");
        return true;
    }
    if (link->on_serial) {
        link->fd = agpu_ctl_serial_open(target->name, &no_port);
        agpu_ctl_serial_begin(&link->serial, connection);
    }
    for (const struct addrinfo *to = all; to != NULL && link->fd < 0; to = to->ai_next) {
        link->fd = connect_once(to, until);
    }
    if (link->fd < 0) {
        *failed = wrong(link, no_port != NULL ? no_port : strerror(errno));
        return false;
    }
    agpu_ctl_client_begin(&link->client, target->key, nonce, halts);
    const uint64_t soon = now_ms() + GREETING_MS;

    if (next_event(link, soon < until ? soon : until) == (halts ? AGPU_CTL_ANSWERED : AGPU_CTL_WELCOMED)) {
        return true;
    }
    /* A refused client would be refused again; one whose connection ended may succeed later. */
    const bool refused = link->client.state == AGPU_CTL_AT_END;
    *failed = wrong(link, link->client.reason);
    return refused;
}

static const char *open_link(struct agpu_ctl_link *link, const struct agpu_ctl_target *target, bool halts)
{
    const uint64_t until = now_ms() + target->timeout_ms;
    char host[256], port[24];
    struct addrinfo *all = NULL;
    const char *failed = NULL;

    link->fd = link->signal_fd = -1;
    link->serial.rest = target->rest;
    link->on_serial = agpu_ctl_serial_is(target->name);
    if (!link->on_serial) {
        failed = split_target(target->name, host, port);
        failed = failed != NULL ? failed : agpu_look_up(host, port, target->timeout_ms, &all);
    }
    if (failed != NULL) {
        return wrong(link, failed);
    }
    for (bool said = false; !try_target(link, target, all, halts, until, &failed) && remaining_ms(until) != 0;
         said = true) {
        if (!said) {
            fprintf(stderr, "agpu ctl: %s: %s; trying for %u s (--timeout)\n", target->name, failed,
                    target->timeout_ms / 1000);
        }
        poll(NULL, 0, remaining_ms(until) < AGAIN_MS ? remaining_ms(until) : AGAIN_MS);
    }
    if (all != NULL) {
        freeaddrinfo(all);
    }
    return failed;
}

const char *agpu_ctl_link_open(struct agpu_ctl_link *link, const struct agpu_ctl_target *target)
{
    return open_link(link, target, false);
}

const char *agpu_ctl_link_halt(struct agpu_ctl_link *link, const struct agpu_ctl_target *target)
{
    const char *failed = open_link(link, target, true);

    agpu_ctl_link_close(link);
    return failed;
}

const char *agpu_ctl_link_ask(struct agpu_ctl_link *link, const char *text, const void *bytes, size_t size,
                              unsigned timeout_ms, void (*note)(void *ctx, const char *text, size_t size),
                              void *ctx)
{
    if (link->fd < 0) {
        return wrong(link, "not connected");
    }
    if (!agpu_ctl_client_ask(&link->client, text, bytes, size)) {
        return wrong(link, "the request is too long");
    }
    link->signals = 0;
    for (;;) {
        switch (next_event(link, now_ms() + timeout_ms)) {
        case AGPU_CTL_NOTED:
            note(ctx, link->client.text, link->client.text_size);
            break;
        case AGPU_CTL_ANSWERED:
            return NULL;
        case AGPU_CTL_NOTHING:
        case AGPU_CTL_WELCOMED:
        case AGPU_CTL_ENDED:
            return wrong(link, link->client.reason);
        }
    }
}
