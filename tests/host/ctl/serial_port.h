/* serial_port.h: a control connection over a serial port, or over what an emulator has in the place of one (README.md 6). */
#ifndef AGPU_HOST_CTL_SERIAL_PORT_H
#define AGPU_HOST_CTL_SERIAL_PORT_H

#include "efi/protocol/serial_link.h"
#include "tests/host/ctl/client.h"
#include "tests/host/wire/line_stream.h"

struct agpu_ctl_serial {
    struct agpu_serial_link link;
    struct agpu_line_stream lines;
    int rest; /* where what else comes over the port goes, as records; -1: nowhere */
};

/* Is the target one of these: "serial:PATH[,BAUD]"? */
bool agpu_ctl_serial_is(const char *target);

/* Opens it: a terminal device, or a UNIX socket. -1 with *failed. */
int agpu_ctl_serial_open(const char *target, const char **failed);

/* A new connection. connection: a number that nobody else uses. */
void agpu_ctl_serial_begin(struct agpu_ctl_serial *serial, uint64_t connection);

/* Bytes of the client go to the port as far as may be now. False with errno set. */
bool agpu_ctl_serial_send(struct agpu_ctl_serial *serial, int fd, struct agpu_ctl_client *client,
                          uint64_t now_ns);

/* Bytes that came: to the client what is for it. */
void agpu_ctl_serial_take(struct agpu_ctl_serial *serial, const char *bytes, size_t size,
                          struct agpu_ctl_client *client);

/* Tells the other end that the connection is over, and waits a second at most until it has heard that. */
void agpu_ctl_serial_end(struct agpu_ctl_serial *serial, int fd, struct agpu_ctl_client *client);

#endif
