/* streams.c: accepts, reads, answers and closes connections of the lossless stream. */
#include "tests/host/run/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_MAX 64
/* Limit of reads from one connection before the others get their turn. */
#define READS_MAX 4

struct connection {
    int fd;
    bool writing; /* waiting until the socket is writable */
    bool over;    /* no further input is read */
    struct agpu_sender from;
    struct agpu_intake intake;
    struct connection *next;
};

struct agpu_streams {
    int socket, epoll;
    const struct agpu_allowed *allowed;
    const struct agpu_credentials *credentials;
    struct agpu_streams_user user;
    struct connection *open; /* newest first */
    size_t count;
    struct agpu_streams_counters counters;
};

struct agpu_streams *agpu_streams_open(int socket, const struct agpu_allowed *allowed,
                                       const struct agpu_credentials *credentials,
                                       const struct agpu_streams_user *user)
{
    struct agpu_streams *s = calloc(1, sizeof *s);
    struct epoll_event event = {.events = EPOLLIN};

    if (s == NULL) {
        return NULL;
    }
    *s = (struct agpu_streams){
        .socket = socket, .allowed = allowed, .credentials = credentials, .user = *user};
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, socket, &event) != 0) {
        const int failed = errno;

        if (s->epoll >= 0) {
            close(s->epoll);
        }
        free(s);
        errno = failed;
        return NULL;
    }
    return s;
}

static void close_connection(struct agpu_streams *s, struct connection *c)
{
    struct connection **at = &s->open;

    while (*at != c) {
        at = &(*at)->next;
    }
    *at = c->next;
    s->count--;
    close(c->fd);
    free(c);
}

/* ---- accepting ---- */

/* Closes the oldest unauthenticated connection when there are too many: a genuine machine has authenticated by then,
 * or connects again. */
static void make_place(struct agpu_streams *s)
{
    struct connection *oldest = NULL;
    size_t greeting = 0;

    for (struct connection *c = s->open; c != NULL; c = c->next) {
        if (c->intake.state != AGPU_INTAKE_UP) {
            oldest = c;
            greeting++;
        }
    }
    if (oldest != NULL && (greeting >= AGPU_STREAMS_GREETING_MAX || s->count >= AGPU_STREAMS_MAX)) {
        s->counters.displaced++;
        close_connection(s, oldest);
    }
}

static struct agpu_sender sender_of(const struct sockaddr_storage *from)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct agpu_sender sender = {.ip.s6_addr = {[10] = 0xFF, [11] = 0xFF}};

    if (from->ss_family == AF_INET) {
        memcpy(&v4, from, sizeof v4);
        memcpy(sender.ip.s6_addr + 12, &v4.sin_addr, 4);
        sender.port = ntohs(v4.sin_port);
    } else {
        memcpy(&v6, from, sizeof v6);
        sender =
            (struct agpu_sender){.ip = v6.sin6_addr, .scope = v6.sin6_scope_id, .port = ntohs(v6.sin6_port)};
    }
    return sender;
}

static void take_connection(struct agpu_streams *s, int fd, const struct agpu_sender *from, uint64_t now_us)
{
    uint8_t nonce[AGPU_WIRE_NONCE];

    make_place(s);
    struct connection *c = s->count < AGPU_STREAMS_MAX ? calloc(1, sizeof *c) : NULL;
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = c}};
    if (c == NULL || getrandom(nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce ||
        epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        s->counters.displaced++;
        free(c);
        close(fd);
        return;
    }
    c->fd = fd;
    c->from = *from;
    agpu_intake_begin(&c->intake, s->credentials, nonce, now_us);
    c->next = s->open;
    s->open = c;
    s->count++;
    s->counters.accepted++;
}

static void accept_all(struct agpu_streams *s, uint64_t now_us)
{
    for (unsigned i = 0; i < EVENTS_MAX; i++) {
        struct sockaddr_storage address = {0};
        socklen_t size = sizeof address;
        const int fd = accept4(s->socket, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0) {
            return;
        }
        const struct agpu_sender from = sender_of(&address);
        if (s->allowed->count != 0 && !agpu_allowed_has(s->allowed, &from.ip)) {
            s->counters.not_allowed++;
            close(fd);
        } else {
            take_connection(s, fd, &from, now_us);
        }
    }
}

/* ---- one connection ---- */

/* Closes the previous connection of the same boot: the machine has given it up, or it would not have opened this
 * one. */
static void close_predecessor(struct agpu_streams *s, const struct connection *new)
{
    for (struct connection *c = s->open; c != NULL; c = c->next) {
        if (c != new && c->intake.state == AGPU_INTAKE_UP && strcmp(c->intake.boot, new->intake.boot) == 0 &&
            memcmp(&c->from.ip, &new->from.ip, sizeof c->from.ip) == 0) {
            shutdown(c->fd, SHUT_RDWR); /* its own turn closes the descriptor */
            c->over = true;
        }
    }
}

static void answer_hello(struct agpu_streams *s, struct connection *c)
{
    uint64_t resume = 0;
    const char *why = s->user.hello(s->user.ctx, &c->from, c->intake.boot, &resume);

    if (why != NULL) {
        agpu_intake_refuse(&c->intake, why);
    } else {
        agpu_intake_welcome(&c->intake, resume);
    }
}

/* Handles the events received so far. */
static void take_events(struct agpu_streams *s, struct connection *c, uint64_t now_us)
{
    struct agpu_intake_item item;

    for (;;) {
        switch (agpu_intake_next(&c->intake, &item, now_us)) {
        case AGPU_INTAKE_HELLO:
            answer_hello(s, c);
            continue;
        case AGPU_INTAKE_OPEN:
            close_predecessor(s, c);
            continue;
        case AGPU_INTAKE_ITEM:
            if (s->user.item(s->user.ctx, &c->from, c->intake.boot, &item, now_us)) {
                continue;
            }
            /* the item cannot be stored now: the machine connects again, and sends it again */
            c->over = true;
            return;
        case AGPU_INTAKE_NOTHING:
            return;
        case AGPU_INTAKE_OVER:
            s->counters.refused += !c->over && c->intake.opened == 0;
            c->over = true;
            return;
        }
    }
}

static void wait_for_room(struct agpu_streams *s, struct connection *c, bool writing)
{
    struct epoll_event event = {.events = writing ? EPOLLIN | EPOLLOUT : EPOLLIN, .data = {.ptr = c}};

    if (c->writing != writing) {
        c->writing = writing;
        epoll_ctl(s->epoll, EPOLL_CTL_MOD, c->fd, &event);
    }
}

/* Returns false when the connection has ended. */
static bool send_answers(struct agpu_streams *s, struct connection *c)
{
    const uint8_t *bytes;
    size_t size;

    while ((size = agpu_intake_output(&c->intake, &bytes)) != 0) {
        const ssize_t sent = send(c->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0) {
            wait_for_room(s, c, true);
            return errno == EAGAIN || errno == EINTR;
        }
        agpu_intake_sent(&c->intake, (size_t)sent);
    }
    wait_for_room(s, c, false);
    return true;
}

/* Returns false when no more input will arrive. */
static bool read_some(struct agpu_streams *s, struct connection *c, uint64_t now_us)
{
    for (unsigned i = 0; i < READS_MAX && !c->over; i++) {
        uint8_t *to;
        const size_t room = agpu_intake_room(&c->intake, &to);
        const ssize_t came = recv(c->fd, to, room, MSG_DONTWAIT);

        if (came < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (came == 0) {
            return false;
        }
        agpu_intake_came(&c->intake, (size_t)came);
        take_events(s, c, now_us);
    }
    return true;
}

static void serve_connection(struct agpu_streams *s, struct connection *c, uint64_t now_us)
{
    const bool more = read_some(s, c, now_us);

    take_events(s, c, now_us); /* also detects idle timeouts */
    agpu_intake_ack(&c->intake, s->user.kept(s->user.ctx, &c->from, c->intake.boot));
    if (!send_answers(s, c) || !more || c->over) {
        close_connection(s, c);
    }
}

uint64_t agpu_streams_serve(struct agpu_streams *s, uint64_t now_us)
{
    struct epoll_event events[EVENTS_MAX];
    const int count = epoll_wait(s->epoll, events, EVENTS_MAX, 0);
    uint64_t deadline = UINT64_MAX;
    bool knock = false;

    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr != NULL) {
            serve_connection(s, events[i].data.ptr, now_us);
        } else {
            knock = true;
        }
    }
    if (knock) { /* last, because it may close connections that have pending events */
        accept_all(s, now_us);
    }
    for (struct connection *c = s->open, *next; c != NULL; c = next) {
        next = c->next;
        const uint64_t its = agpu_intake_deadline(&c->intake);

        if (now_us >= its) {
            serve_connection(s, c, now_us);
        } else if (its < deadline) {
            deadline = its;
        }
    }
    return deadline;
}

int agpu_streams_fd(const struct agpu_streams *s)
{
    return s->epoll;
}

struct agpu_streams_counters agpu_streams_counters(const struct agpu_streams *s)
{
    return s->counters;
}

void agpu_streams_close(struct agpu_streams *s)
{
    while (s->open != NULL) {
        close_connection(s, s->open);
    }
    close(s->epoll);
    free(s);
}
