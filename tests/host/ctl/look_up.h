/* look_up.h: resolves host names, with a time limit. */
#ifndef AGPU_HOST_CTL_LOOK_UP_H
#define AGPU_HOST_CTL_LOOK_UP_H

#include <netdb.h>

/* Returns NULL with *out, to be freed with freeaddrinfo(); or the error. */
const char *agpu_look_up(const char *host, const char *port, unsigned timeout_ms, struct addrinfo **out);

#endif
