/* run_stream.c: passes items to the session, whose machine has one boot at a time. */
#include "tests/host/run/run_stream.h"

#include <poll.h>
#include <string.h>

/* Limit for draining an ended machine: as much as its sockets can hold. */
#define ROUNDS_MAX 4096

static const char *take_hello(void *ctx, const struct agpu_sender *from, const char *boot, uint64_t *resume)
{
    const struct agpu_run_stream *s = ctx;

    (void)from;
    *resume = strcmp(s->boot, boot) == 0 ? s->kept : 0;
    return NULL;
}

static bool take_item(void *ctx, const struct agpu_sender *from, const char *boot,
                      const struct agpu_intake_item *item, uint64_t now_us)
{
    struct agpu_run_stream *s = ctx;

    (void)from;
    if (strcmp(s->boot, boot) != 0) {
        strcpy(s->boot, boot); /* at most AGPU_WIRE_BOOT_MAX bytes, as the greeting was checked */
        s->taken = (struct agpu_intake_run){0};
        s->kept = 0;
    }
    if (agpu_intake_run_take(&s->taken, item->number)) {
        agpu_session_item(s->session, boot, item, now_us);
    }
    return true;
}

static uint64_t count_kept(void *ctx, const struct agpu_sender *from, const char *boot)
{
    struct agpu_run_stream *s = ctx;

    (void)from;
    if (strcmp(s->boot, boot) != 0) {
        return 0;
    }
    if (s->taken.next > s->kept && agpu_session_flush(s->session)) {
        s->kept = s->taken.next;
    }
    return s->kept;
}

bool agpu_run_stream_open(struct agpu_run_stream *s, int socket, const struct agpu_credentials *credentials,
                          struct agpu_session *session)
{
    *s = (struct agpu_run_stream){.session = session, .deadline_us = UINT64_MAX};
    if (socket < 0) {
        return true;
    }
    s->streams = agpu_streams_open(
        socket, &s->allowed, credentials,
        &(struct agpu_streams_user){.ctx = s, .hello = take_hello, .item = take_item, .kept = count_kept});
    return s->streams != NULL;
}

int agpu_run_stream_fd(const struct agpu_run_stream *s)
{
    return s->streams != NULL ? agpu_streams_fd(s->streams) : -1;
}

void agpu_run_stream_serve(struct agpu_run_stream *s, uint64_t now_us)
{
    if (s->streams != NULL) {
        s->deadline_us = agpu_streams_serve(s->streams, now_us);
    }
}

void agpu_run_stream_drain(struct agpu_run_stream *s, uint64_t now_us)
{
    struct pollfd fd = {.fd = agpu_run_stream_fd(s), .events = POLLIN};

    for (unsigned i = 0; i < ROUNDS_MAX && poll(&fd, 1, 0) > 0; i++) {
        agpu_run_stream_serve(s, now_us);
    }
}

void agpu_run_stream_close(struct agpu_run_stream *s)
{
    if (s->streams != NULL) {
        agpu_streams_close(s->streams);
    }
    s->streams = NULL;
}
