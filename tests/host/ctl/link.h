/* link.h: a control connection over TCP: made, kept, and given up in bounded time. */
#ifndef AGPU_HOST_CTL_LINK_H
#define AGPU_HOST_CTL_LINK_H

#include "tests/host/ctl/client.h"

struct agpu_ctl_link {
    int fd; /* -1: none */
    char target[256];
    struct agpu_ctl_client client;
};

/* "HOST", "HOST:PORT", "[ADDRESS]:PORT". Tries again until timeout_ms have passed, for a machine that boots. NULL, or why there
 * is no connection, which is the link's until the next call. */
const char *agpu_ctl_link_open(struct agpu_ctl_link *link, const char *target,
                               const uint8_t key[AGPU_KEY_SIZE], unsigned timeout_ms);
void agpu_ctl_link_close(struct agpu_ctl_link *link);

/* One request and its answer, which is then in link->client. note is called for what comes meanwhile; each of those starts the
 * time anew. NULL, or why there was no answer; then there is no connection any more. */
const char *agpu_ctl_link_ask(struct agpu_ctl_link *link, const char *text, const void *bytes, size_t size,
                              unsigned timeout_ms, void (*note)(void *ctx, const char *text, size_t size),
                              void *ctx);

#endif
