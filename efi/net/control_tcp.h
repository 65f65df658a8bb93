/* control_tcp.h: connections of `agpu ctl` (efi/control/server.h) on lwIP's TCP. */
#ifndef AGPU_NET_CONTROL_TCP_H
#define AGPU_NET_CONTROL_TCP_H

#include "efi/control/server.h"

/* Accepts connections to this port from now on, as soon as there is a network. server stays the caller's. */
void agpu_control_tcp_use(struct agpu_ctl_server *server, uint16_t port);

/* Listens, sends, and closes finished connections; does not block. The interface must have an address. */
void agpu_control_tcp_poll(void);

/* Closes all connections and accepts none until the next agpu_control_tcp_use(). */
void agpu_control_tcp_close(void);

/* True when all answers have left. */
bool agpu_control_tcp_sent(void);

#endif
