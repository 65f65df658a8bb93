/* tcp_sink.h: the lossless stream to the collector (tests/host/wire/README.md): its states are uplink.c's, its connection lwIP's. */
#ifndef AGPU_NET_TCP_SINK_H
#define AGPU_NET_TCP_SINK_H

#include "efi/config.h"
#include "efi/net/netif.h"
#include "tests/cases/harness/stream.h"

/* Keeps records from now on; without memory for that there is no stream. */
void agpu_tcp_sink_add(struct agpu_stream *stream);

/* Where the stream goes: to this target, by the first way, at the port of stream= or else at the target's. */
void agpu_tcp_sink_open(const struct agpu_config *config, const struct agpu_target *to);

/* Connects, sends, takes answers; waits for nothing. The interface must have an address. */
void agpu_tcp_sink_poll(struct agpu_netif *netif);

/* Ends the connection, forgets all and takes no more. */
void agpu_tcp_sink_close(void);

/* Is there a connection on which the collector takes items? */
bool agpu_tcp_sink_is_open(void);

/* Records that are not acknowledged yet; 0 when the collector takes no stream. */
uint64_t agpu_tcp_sink_waiting(void);

/* Records that were overwritten before they were acknowledged. */
uint64_t agpu_tcp_sink_overwritten(void);

/* Why there is no connection, when that is news; NULL otherwise. */
const char *agpu_tcp_sink_news(void);

#endif
