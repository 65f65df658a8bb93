/* server.h: serves the pages and the result folders over HTTP, on the loopback interface, read-only. */
#ifndef AGPU_HOST_SERVE_SERVER_H
#define AGPU_HOST_SERVE_SERVER_H

#include "tests/host/serve/pages.h"

struct agpu_server;

/* port 0: any free port; *port is the actual one. pages stays the caller's. Returns NULL with a line on stderr. */
struct agpu_server *agpu_server_open(const struct agpu_pages *pages, unsigned *port);

/* Stops the server's thread. */
void agpu_server_close(struct agpu_server *server);

#endif
