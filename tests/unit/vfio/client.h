/* client.h: a scripted vfio-user client for tests. It sends what QEMU sends over one end of a socket pair, to a server
 * in the same thread. */
#ifndef AGPU_TESTS_UNIT_VFIO_CLIENT_H
#define AGPU_TESTS_UNIT_VFIO_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "tests/device/vfio/server.h"
#include "tests/device/vfio/wire.h"

#define CLIENT_RAM_BYTES 0x10000u
#define CLIENT_RAM_BASE  0x100000u

struct client {
    struct vgpu_vfio_server *server;
    int fd;
    uint16_t next_id;
    /* Last reply. */
    struct vgpu_vfio_header header;
    size_t length; /* of the payload */
    int received_fd;
    uint8_t payload[66000];
    /* Guest RAM, shared with the server by memfd. */
    int ram_fd;
    uint8_t *ram;
};

/* Returns a memfd of `size` bytes, sealed against shrinking if requested, as QEMU's memory-backend-memfd makes it. */
int client_memfd(size_t size, bool sealed);

/* Connects to server over a socket pair. Guest RAM exists but is not mapped yet. */
void client_connect(struct client *client, struct vgpu_vfio_server *server);
/* Closes everything. The server notices it. */
void client_disconnect(struct client *client);

/* Sends raw bytes with descriptors. Returns false if the server has closed the connection. */
bool client_send_raw(struct client *client, const void *bytes, size_t size, const int *fds, size_t fd_count);
/* Sends one command, which the server handles before this returns. */
void client_send(struct client *client, uint16_t command, uint32_t flags, const void *payload, size_t size,
                 const int *fds, size_t fd_count);
/* Receives the reply to the last command and checks id, command and type. Fails the test without a reply. */
void client_receive(struct client *client, uint16_t command);
/* Returns whether the server has closed the connection, with nothing left to read. */
bool client_is_closed(struct client *client);
/* Returns whether no reply is waiting. */
bool client_is_silent(struct client *client);

/* Sends a command and expects success. client->payload has the payload of the reply. */
void client_call(struct client *client, uint16_t command, const void *payload, size_t size, const int *fds,
                 size_t fd_count);
/* Sends a command and expects an error with this errno value. */
void client_call_fails(struct client *client, uint16_t command, const void *payload, size_t size,
                       const int *fds, size_t fd_count, int error);

void client_version(struct client *client);
void client_map_ram(struct client *client);
uint64_t client_read(struct client *client, uint32_t region, uint64_t offset, uint32_t count);
void client_write(struct client *client, uint32_t region, uint64_t offset, uint32_t count, uint64_t value);
/* Sends SET_IRQS for INTx; fd -1: none. */
void client_set_irq(struct client *client, uint32_t flags, uint32_t count, int fd);
/* Returns the number of events since the last call. */
uint64_t client_events(int eventfd);
/* Does what QEMU does before the firmware runs, from VERSION to the machine reset. Returns the INTx eventfd. */
int client_start_like_qemu(struct client *client);

#endif
