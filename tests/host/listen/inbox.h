/* inbox.h: a thread that takes datagrams off a socket, whatever else goes on, into bounded memory. */
#ifndef AGPU_HOST_LISTEN_INBOX_H
#define AGPU_HOST_LISTEN_INBOX_H

#include "tests/host/run/sender.h"

/* A record of the greatest length in one datagram, with its header. What is longer is none. */
#define AGPU_DATAGRAM_MAX 9216
/* Two of these: more than half a second of 100 machines, each. */
#define AGPU_INBOX_BYTES (UINT64_C(16) << 20)

struct agpu_inbox;

struct agpu_datagram {
    struct agpu_sender from;
    uint64_t when_us; /* agpu_now_us() when it was taken */
    const char *bytes;
    size_t size;
};

struct agpu_inbox_counters {
    uint64_t not_allowed; /* from addresses outside of the allowed networks */
    uint64_t malformed;   /* no extended netconsole message */
    uint64_t dropped;     /* found no room: we were too slow */
    uint64_t lost;        /* found no room in the kernel's buffer of the socket */
};

/* Takes from the socket (AF_INET6, which may be mapped IPv4) from now on. allowed stays the caller's, unchanged while the
 * inbox is open. NULL with errno set. */
struct agpu_inbox *agpu_inbox_open(int socket, const struct agpu_allowed *allowed);

/* Becomes readable when there is something to take. */
int agpu_inbox_fd(const struct agpu_inbox *inbox);

/* Makes all that arrived so far ready for agpu_inbox_next(). */
void agpu_inbox_collect(struct agpu_inbox *inbox);

/* The next datagram, valid until the next agpu_inbox_collect(). False when there is none. */
bool agpu_inbox_next(struct agpu_inbox *inbox, struct agpu_datagram *datagram);

struct agpu_inbox_counters agpu_inbox_counters(struct agpu_inbox *inbox);

/* Ends the thread. The socket stays the caller's. */
void agpu_inbox_close(struct agpu_inbox *inbox);

#endif
