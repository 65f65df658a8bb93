/* server.h: the pages and the result folders over HTTP, on the loopback interface, to be read only. */
#ifndef AGPU_HOST_SERVE_SERVER_H
#define AGPU_HOST_SERVE_SERVER_H

#include "tests/host/serve/pages.h"

struct agpu_server;

/* port 0: one that is free; *port is the one it listens on. pages stays the caller's. NULL with a line on stderr. */
struct agpu_server *agpu_server_open(const struct agpu_pages *pages, unsigned *port);

/* Ends its thread. */
void agpu_server_close(struct agpu_server *server);

#endif
