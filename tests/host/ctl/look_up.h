/* look_up.h: addresses of a name, in bounded time. */
#ifndef AGPU_HOST_CTL_LOOK_UP_H
#define AGPU_HOST_CTL_LOOK_UP_H

#include <netdb.h>

/* NULL with *out, which is for freeaddrinfo(); or why there are none. */
const char *agpu_look_up(const char *host, const char *port, unsigned timeout_ms, struct addrinfo **out);

#endif
