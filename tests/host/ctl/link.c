/* link.c: sockets that are never waited for without a bound. */
#include "tests/host/ctl/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/host/monotonic.h"

#define AGAIN_MS 200

static uint64_t now_ms(void)
{
    return agpu_monotonic_ns() / 1000000;
}

static int remaining_ms(uint64_t until)
{
    const uint64_t now = now_ms();

    return now < until ? (int)(until - now) : 0;
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
            return "expected a port from 1 to 65535 behind the colon";
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

/* A connected socket, or -1 with errno. */
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
        close(link->fd);
    }
    link->fd = -1;
}

static bool send_all(struct agpu_ctl_link *link, uint64_t until)
{
    const uint8_t *bytes;
    size_t size;

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

/* What comes next. */
static enum agpu_ctl_event next_event(struct agpu_ctl_link *link, uint64_t until)
{
    for (;;) {
        const enum agpu_ctl_event event = agpu_ctl_client_next(&link->client);
        uint8_t *to;

        if (event != AGPU_CTL_NOTHING) {
            return event;
        }
        if (!send_all(link, until)) {
            snprintf(link->client.reason, sizeof link->client.reason, "the connection broke: %s",
                     strerror(errno));
            return AGPU_CTL_ENDED;
        }
        if (!wait_for(link->fd, POLLIN, until)) {
            snprintf(link->client.reason, sizeof link->client.reason, "no answer within the time for it");
            return AGPU_CTL_ENDED;
        }
        const size_t room = agpu_ctl_client_room(&link->client, &to);
        const ssize_t came = recv(link->fd, to, room, 0);

        if (came > 0) {
            agpu_ctl_client_came(&link->client, (size_t)came);
        } else if (came == 0 || (errno != EAGAIN && errno != EINTR)) {
            snprintf(link->client.reason, sizeof link->client.reason, "the connection was ended there");
            return AGPU_CTL_ENDED;
        }
    }
}

/* True: connected, or not to be tried again. */
static bool try_target(struct agpu_ctl_link *link, const struct addrinfo *all,
                       const uint8_t key[AGPU_KEY_SIZE], uint64_t until, const char **failed)
{
    uint8_t nonce[AGPU_WIRE_NONCE];

    *failed = NULL;
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce) {
        *failed = wrong(link, "no random numbers from the kernel");
        return true;
    }
    for (const struct addrinfo *to = all; to != NULL && link->fd < 0; to = to->ai_next) {
        link->fd = connect_once(to, until);
    }
    if (link->fd < 0) {
        *failed = wrong(link, strerror(errno));
        return false;
    }
    agpu_ctl_client_begin(&link->client, key, nonce);
    if (next_event(link, until) == AGPU_CTL_WELCOMED) {
        return true;
    }
    /* Who was refused would be again; who saw the connection end perhaps came at a bad moment. */
    const bool refused = link->client.state == AGPU_CTL_AT_END;
    *failed = wrong(link, link->client.reason);
    return refused;
}

const char *agpu_ctl_link_open(struct agpu_ctl_link *link, const char *target,
                               const uint8_t key[AGPU_KEY_SIZE], unsigned timeout_ms)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const uint64_t until = now_ms() + timeout_ms;
    char host[256], port[24];
    struct addrinfo *all = NULL;
    const char *failed;

    link->fd = -1;
    failed = split_target(target, host, port);
    if (failed != NULL) {
        return wrong(link, failed);
    }
    const int code = getaddrinfo(host, port, &hints, &all);
    if (code != 0) {
        return wrong(link, gai_strerror(code));
    }
    while (!try_target(link, all, key, until, &failed) && remaining_ms(until) != 0) {
        poll(NULL, 0, remaining_ms(until) < AGAIN_MS ? remaining_ms(until) : AGAIN_MS);
    }
    freeaddrinfo(all);
    return failed;
}

const char *agpu_ctl_link_ask(struct agpu_ctl_link *link, const char *text, const void *bytes, size_t size,
                              unsigned timeout_ms, void (*note)(void *ctx, const char *text, size_t size),
                              void *ctx)
{
    if (link->fd < 0) {
        return wrong(link, "there is no connection");
    }
    if (!agpu_ctl_client_ask(&link->client, text, bytes, size)) {
        return wrong(link, "the request is too long");
    }
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
