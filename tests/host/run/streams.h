/* streams.h: the lossless stream's TCP side (tests/host/wire/README.md): connections in bounded number, whose items go to
 * whoever collects. */
#ifndef AGPU_HOST_RUN_STREAMS_H
#define AGPU_HOST_RUN_STREAMS_H

#include "tests/host/run/sender.h"
#include "tests/host/wire/intake.h"

/* Of all connections together, and of those that have not shown their credentials. */
#define AGPU_STREAMS_MAX          512
#define AGPU_STREAMS_GREETING_MAX 128

struct agpu_streams_counters {
    uint64_t accepted;
    uint64_t not_allowed; /* from addresses outside of the allowed networks */
    uint64_t refused;     /* that showed no right credentials, or spoke something else */
    uint64_t displaced;   /* closed because there were too many */
};

/* Who collects. */
struct agpu_streams_user {
    void *ctx;
    /* A machine says which boot it is. NULL with the item that is wanted next in *resume, or why it is not taken. */
    const char *(*hello)(void *ctx, const struct agpu_sender *from, const char *boot, uint64_t *resume);
    /* False when there is no place for it now: the connection is ended, and the item comes again. */
    bool (*item)(void *ctx, const struct agpu_sender *from, const char *boot,
                 const struct agpu_intake_item *item, uint64_t now_us);
    /* All items of this boot below it are in files. */
    uint64_t (*kept)(void *ctx, const struct agpu_sender *from, const char *boot);
};

struct agpu_streams;

/* Accepts from the socket (AF_INET or AF_INET6, listening, not blocking) from now on. user is copied; all else stays the caller's,
 * and must outlive it. NULL with errno set. */
struct agpu_streams *agpu_streams_open(int socket, const struct agpu_allowed *allowed,
                                       const struct agpu_credentials *credentials,
                                       const struct agpu_streams_user *user);

/* Becomes readable when there is something to serve. */
int agpu_streams_fd(const struct agpu_streams *streams);

/* Serves what is there, without waiting. Returns when it must be called again. */
uint64_t agpu_streams_serve(struct agpu_streams *streams, uint64_t now_us);

struct agpu_streams_counters agpu_streams_counters(const struct agpu_streams *streams);

/* Closes all connections. Machines that still have something connect again, to whoever listens then. */
void agpu_streams_close(struct agpu_streams *streams);

#endif
