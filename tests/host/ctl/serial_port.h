/* serial_port.h: a control connection over a serial port, or over the emulator's socket for one
 * (tests/handbook/control.md 5). */
#ifndef AGPU_HOST_CTL_SERIAL_PORT_H
#define AGPU_HOST_CTL_SERIAL_PORT_H

#include "efi/protocol/serial_link.h"
#include "tests/host/ctl/client.h"
#include "tests/host/wire/line_stream.h"

struct agpu_ctl_serial {
    struct agpu_serial_link link;
    struct agpu_line_stream lines;
    int rest; /* receives the other output of the port, as records; -1: discard it */
};

/* Returns true for a target of the form "serial:PATH[,BAUD]". */
bool agpu_ctl_serial_is(const char *target);

/* Opens target: a terminal device, or a UNIX socket. Returns -1 with the reason in *failed. */
int agpu_ctl_serial_open(const char *target, const char **failed);

/* Starts a new connection. connection: a unique number. */
void agpu_ctl_serial_begin(struct agpu_ctl_serial *serial, uint64_t connection);

/* Writes the client's bytes to the port, as far as possible without blocking. Returns false with errno set. */
bool agpu_ctl_serial_send(struct agpu_ctl_serial *serial, int fd, struct agpu_ctl_client *client,
                          uint64_t now_ns);

/* Takes received bytes, and passes the connection's own to the client. */
void agpu_ctl_serial_take(struct agpu_ctl_serial *serial, const char *bytes, size_t size,
                          struct agpu_ctl_client *client);

/* Tells the other end that the connection is closed, and waits at most a second for the acknowledgement. */
void agpu_ctl_serial_end(struct agpu_ctl_serial *serial, int fd, struct agpu_ctl_client *client);

#endif
