/* fixture.h: a server on the fake device with one connected client, and the check that nothing of either is
 * left. */
#ifndef AGPU_TESTS_UNIT_VFIO_FIXTURE_H
#define AGPU_TESTS_UNIT_VFIO_FIXTURE_H

#include "tests/unit/vfio/client.h"

struct vfio_fixture {
    struct vgpu_vfio_server *server;
    struct client client;
    int stop_fd;   /* eventfd */
    int open_fds;  /* before anything was made */
    char log[256]; /* last line */
};

/* The device under the server; each test program has its own. */
const struct agpu_device_plugin *fixture_device(void);

/* Setup and teardown for cmocka; teardown fails when a descriptor leaked. */
int fixture_setup(void **state);
int fixture_setup_once(void **state); /* the server ends with its first client */
int fixture_teardown(void **state);

/* Ends the client and connects a new one. */
void fixture_reconnect(struct vfio_fixture *fixture);

/* Open descriptors and memory maps of this process. */
int fixture_count_fds(void);
int fixture_count_maps(const char *name);

#endif
