/* server.h: the loop that connects one vfio-user client at a time to the device: socket, time, stop. */
#ifndef VGPU_TESTS_DEVICE_VFIO_SERVER_H
#define VGPU_TESTS_DEVICE_VFIO_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/vfio/session.h"

struct vgpu_vfio_server;

/* Time for which the server polls for the next message of a burst before it sleeps. Register accesses come in bursts,
 * and waking up costs more than an access: with 300 us the median BAR0 access from QEMU took half as long as without
 * polling on a busy two-core machine (README.md). Accesses further apart than this are no burst, and an idle client
 * costs nothing. */
#define VGPU_VFIO_SPIN_NS 300000u

#define VGPU_VFIO_VISITORS 2

/* Access to the device for other code: while fd, which is not owned, is readable the loop calls visit with it.
 * visit must be short and must make fd unreadable. visit NULL: unused. */
struct vgpu_vfio_visitor {
    int fd;
    void (*visit)(void *ctx, struct vgpu_port *port);
    void *ctx;
};

struct vgpu_vfio_server_config {
    const struct agpu_device_plugin *device; /* these five: see session_config.h */
    const char *options;
    bool trust_description;
    bool map_vram;
    struct vgpu_save_schedule save;
    bool once; /* stop after the first client that negotiated a version has disconnected */
    uint64_t spin_ns;
    int stop_fd; /* not owned; readable means stop. -1 = none */
    struct vgpu_vfio_visitor visitors[VGPU_VFIO_VISITORS];
    struct vgpu_vfio_log log;
};

enum vgpu_vfio_step {
    VGPU_VFIO_RUNNING,
    VGPU_VFIO_STOPPED, /* by stop_fd, or the end of the only client */
    VGPU_VFIO_FAILED,  /* poll failed with errno */
};

/* Creates the device and its server, which the calling thread owns. Returns NULL with the reason in message
 * when the device cannot be created. */
struct vgpu_vfio_server *vgpu_vfio_server_create(const struct vgpu_vfio_server_config *config, char *message,
                                                 size_t message_size);
/* Disconnects, stops listening, removes the socket file. */
void vgpu_vfio_server_destroy(struct vgpu_vfio_server *server);

/* Listens at path; result and message as for vgpu_vfio_listener_open(). Clients may connect once it has
 * returned 0. */
int vgpu_vfio_server_listen(struct vgpu_vfio_server *server, const char *path, char *message,
                            size_t message_size);

/* Uses a connected socket as the client. Returns false, with the socket closed, when there is a client
 * already. */
bool vgpu_vfio_server_adopt(struct vgpu_vfio_server *server, int fd);

/* Waits at most max_wait_ns (UINT64_MAX: no limit) for work, and does it. */
enum vgpu_vfio_step vgpu_vfio_server_step(struct vgpu_vfio_server *server, uint64_t max_wait_ns);

/* Steps until the server stops or fails. */
enum vgpu_vfio_step vgpu_vfio_server_run(struct vgpu_vfio_server *server);

struct vgpu_port *vgpu_vfio_server_port(struct vgpu_vfio_server *server);
bool vgpu_vfio_server_has_client(const struct vgpu_vfio_server *server);
struct vgpu_vfio_stats vgpu_vfio_server_stats(const struct vgpu_vfio_server *server);

#endif
