/* control_tcp.h: connections of `agpu ctl` (efi/control/server.h) on lwIP's TCP. */
#ifndef AGPU_NET_CONTROL_TCP_H
#define AGPU_NET_CONTROL_TCP_H

#include "efi/control/server.h"

/* From now on, as soon as there is a network, connections to this port are taken. server stays the caller's. */
void agpu_control_tcp_use(struct agpu_ctl_server *server, uint16_t port);

/* Listens, sends, ends what is over; waits for nothing. The interface must have an address. */
void agpu_control_tcp_poll(void);

/* Ends all connections, and takes no more until the next use. */
void agpu_control_tcp_close(void);

/* Has all that was answered left? */
bool agpu_control_tcp_sent(void);

#endif
