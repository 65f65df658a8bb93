/* fixture.h: a server on the fake device with one connected client, and a check that neither leaks anything. */
#ifndef AGPU_TESTS_UNIT_VFIO_FIXTURE_H
#define AGPU_TESTS_UNIT_VFIO_FIXTURE_H

#include "tests/unit/vfio/client.h"

struct vfio_fixture {
    struct vgpu_vfio_server *server;
    struct client client;
    int stop_fd;   /* eventfd */
    int open_fds;  /* descriptors before the test */
    char log[256]; /* the last line */
};

/* Returns the device of the server. Each test program defines its own. */
const struct agpu_device_plugin *fixture_device(void);

/* cmocka setup and teardown. The teardown fails if a descriptor leaked. */
int fixture_setup(void **state);
int fixture_setup_once(void **state); /* the server ends with its first client */
int fixture_teardown(void **state);

/* Ends the client and connects a new one. */
void fixture_reconnect(struct vfio_fixture *fixture);

/* Count open descriptors and memory maps of this process. */
int fixture_count_fds(void);
int fixture_count_maps(const char *name);

#endif
