/* streams.h: the TCP side of the lossless stream (tests/handbook/stream.md): a limited number of connections, whose
 * items go to the caller. */
#ifndef AGPU_HOST_RUN_STREAMS_H
#define AGPU_HOST_RUN_STREAMS_H

#include "tests/host/run/sender.h"
#include "tests/host/wire/intake.h"

/* Limits for all connections together, and for those that have not shown their credentials. */
#define AGPU_STREAMS_MAX          512
#define AGPU_STREAMS_GREETING_MAX 128

struct agpu_streams_counters {
    uint64_t accepted;
    uint64_t not_allowed; /* from addresses outside the allowed networks */
    uint64_t refused;     /* wrong credentials, or another protocol */
    uint64_t displaced;   /* closed because there were too many */
};

/* Callbacks of the collector. */
struct agpu_streams_user {
    void *ctx;
    /* A machine reports its boot. Returns NULL with the next expected item in *resume, or why it is refused. */
    const char *(*hello)(void *ctx, const struct agpu_sender *from, const char *boot, uint64_t *resume);
    /* Returns false when the item cannot be stored now: the connection is closed, and the item will be sent again. */
    bool (*item)(void *ctx, const struct agpu_sender *from, const char *boot,
                 const struct agpu_intake_item *item, uint64_t now_us);
    /* Returns the number below which all items of this boot are in files. */
    uint64_t (*kept)(void *ctx, const struct agpu_sender *from, const char *boot);
};

struct agpu_streams;

/* Accepts connections on the socket (AF_INET or AF_INET6, listening, non-blocking) from now on. user is copied;
 * everything else remains the caller's, and must outlive the result. Returns NULL with errno set. */
struct agpu_streams *agpu_streams_open(int socket, const struct agpu_allowed *allowed,
                                       const struct agpu_credentials *credentials,
                                       const struct agpu_streams_user *user);

/* Returns a descriptor that is readable when there is work. */
int agpu_streams_fd(const struct agpu_streams *streams);

/* Handles all pending work, without waiting. Returns when it must be called again. */
uint64_t agpu_streams_serve(struct agpu_streams *streams, uint64_t now_us);

struct agpu_streams_counters agpu_streams_counters(const struct agpu_streams *streams);

/* Closes all connections. Machines with unsent items connect again, to the next listener. */
void agpu_streams_close(struct agpu_streams *streams);

#endif
