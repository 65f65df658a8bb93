/* link.h: a control connection, over TCP or a serial port: opened, used and closed with time limits. */
#ifndef AGPU_HOST_CTL_LINK_H
#define AGPU_HOST_CTL_LINK_H

#include "tests/host/ctl/client.h"
#include "tests/host/ctl/serial_port.h"

struct agpu_ctl_link {
    int fd; /* -1: none */
    bool on_serial;
    struct agpu_ctl_serial serial;
    /* A signalfd: the first signal during a request asks the image to end it early, a second one abandons it. -1:
     * none. Owned by the caller. */
    int signal_fd;
    unsigned signals;
    struct agpu_ctl_client client;
};

struct agpu_ctl_target {
    const char *name; /* "HOST", "HOST:PORT", "[ADDRESS]:PORT", "serial:PATH[,BAUD]" */
    uint8_t key[AGPU_KEY_SIZE];
    unsigned timeout_ms; /* time limit for connecting */
    int rest;            /* receives other output of a serial port; -1: discard it */
};

/* Connects. Retries until the time limit, for a machine that is booting. Returns NULL, or the error, which is valid
 * until the link's next call. */
const char *agpu_ctl_link_open(struct agpu_ctl_link *link, const struct agpu_ctl_target *target);
/* Only requests that no further cases run, also while another client is connected. Returns NULL with the answer in
 * link->client, or the error. Closes the connection. */
const char *agpu_ctl_link_halt(struct agpu_ctl_link *link, const struct agpu_ctl_target *target);
void agpu_ctl_link_close(struct agpu_ctl_link *link);

/* Sends a request and waits for its answer, which is then in link->client. Calls note for each notification
 * meanwhile, which restarts the timeout. Returns NULL, or the error; then the connection is closed. */
const char *agpu_ctl_link_ask(struct agpu_ctl_link *link, const char *text, const void *bytes, size_t size,
                              unsigned timeout_ms, void (*note)(void *ctx, const char *text, size_t size),
                              void *ctx);

#endif
