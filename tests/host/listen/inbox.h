/* inbox.h: a thread that reads datagrams from a socket without delay into bounded memory. */
#ifndef AGPU_HOST_LISTEN_INBOX_H
#define AGPU_HOST_LISTEN_INBOX_H

#include "tests/host/run/sender.h"

/* A record of maximum length in one datagram, with its header. Longer ones are invalid. */
#define AGPU_DATAGRAM_MAX 9216
/* Size of each of two buffers: each holds more than half a second of 100 machines. */
#define AGPU_INBOX_BYTES (UINT64_C(16) << 20)

struct agpu_inbox;

struct agpu_datagram {
    struct agpu_sender from;
    uint64_t when_us; /* agpu_now_us() when it was read */
    const char *bytes;
    size_t size;
};

struct agpu_inbox_counters {
    uint64_t not_allowed; /* from addresses outside the allowed networks */
    uint64_t malformed;   /* not an extended netconsole message */
    uint64_t dropped;     /* no room in the buffer: this process was too slow */
    uint64_t lost;        /* no room in the kernel's socket buffer */
};

/* Reads from the socket (AF_INET6, which may receive mapped IPv4) from now on. allowed stays the caller's, and must
 * not change while the inbox is open. Returns NULL with errno set. */
struct agpu_inbox *agpu_inbox_open(int socket, const struct agpu_allowed *allowed);

/* Returns a descriptor that is readable when datagrams are available. */
int agpu_inbox_fd(const struct agpu_inbox *inbox);

/* Makes everything that has arrived available to agpu_inbox_next(). */
void agpu_inbox_collect(struct agpu_inbox *inbox);

/* Returns the next datagram, valid until the next agpu_inbox_collect(). False when there is none. */
bool agpu_inbox_next(struct agpu_inbox *inbox, struct agpu_datagram *datagram);

struct agpu_inbox_counters agpu_inbox_counters(struct agpu_inbox *inbox);

/* Stops the thread. The socket stays the caller's. */
void agpu_inbox_close(struct agpu_inbox *inbox);

#endif
