/* tcp_sink.h: the lossless stream to the collector (tests/handbook/stream.md): uplink.c's states on a TCP
 * connection of lwIP. */
#ifndef AGPU_NET_TCP_SINK_H
#define AGPU_NET_TCP_SINK_H

#include "efi/config.h"
#include "efi/net/netif.h"
#include "tests/cases/harness/stream.h"

/* Stores records from now on. Without memory for this there is no stream. */
void agpu_tcp_sink_add(struct agpu_stream *stream);

/* Sets the destination: this target, through way 0, at the port of stream=, or else at the target's port. */
void agpu_tcp_sink_open(const struct agpu_config *config, const struct agpu_target *to);

/* Connects, sends and reads answers; does not block. The interface must have an address. */
void agpu_tcp_sink_poll(struct agpu_netif *netif);

/* Closes the connection, drops all records and accepts no more. */
void agpu_tcp_sink_close(void);

/* True when a collector is connected and accepts items. */
bool agpu_tcp_sink_is_open(void);

/* True when the collector's machine has answered each of the last attempts to connect with a reset: no program
 * listens there. */
bool agpu_tcp_sink_is_refused(void);

/* Records that are not acknowledged yet; 0 when the collector takes no stream. */
uint64_t agpu_tcp_sink_waiting(void);

/* Records that were overwritten before they were acknowledged. */
uint64_t agpu_tcp_sink_overwritten(void);

/* Returns the reason for a missing connection, once per change; NULL otherwise. */
const char *agpu_tcp_sink_take_reason(void);

#endif
