/* link.h: a control connection, over TCP or a serial port: made, kept, and given up in bounded time. */
#ifndef AGPU_HOST_CTL_LINK_H
#define AGPU_HOST_CTL_LINK_H

#include "tests/host/ctl/client.h"
#include "tests/host/ctl/serial_port.h"

struct agpu_ctl_link {
    int fd; /* -1: none */
    bool on_serial;
    struct agpu_ctl_serial serial;
    /* A signalfd: the first signal during a request asks for an early end of it, a second gives the answer up. -1: none. The
     * caller's. */
    int signal_fd;
    unsigned signals;
    struct agpu_ctl_client client;
};

struct agpu_ctl_target {
    const char *name; /* "HOST", "HOST:PORT", "[ADDRESS]:PORT", "serial:PATH[,BAUD]" */
    uint8_t key[AGPU_KEY_SIZE];
    unsigned timeout_ms; /* for all that it takes to connect */
    int rest;            /* descriptor for what else comes over a serial port; -1: it is forgotten */
};

/* Tries again until the time has passed, for a machine that boots. NULL, or why there is no connection, which is the link's until
 * the next call. */
const char *agpu_ctl_link_open(struct agpu_ctl_link *link, const struct agpu_ctl_target *target);
/* Only asks for no further cases, whoever the client is: NULL with the answer in link->client. No connection is left. */
const char *agpu_ctl_link_halt(struct agpu_ctl_link *link, const struct agpu_ctl_target *target);
void agpu_ctl_link_close(struct agpu_ctl_link *link);

/* One request and its answer, which is then in link->client. note is called for what comes meanwhile; each of those starts the
 * time anew. NULL, or why there was no answer; then there is no connection any more. */
const char *agpu_ctl_link_ask(struct agpu_ctl_link *link, const char *text, const void *bytes, size_t size,
                              unsigned timeout_ms, void (*note)(void *ctx, const char *text, size_t size),
                              void *ctx);

#endif
