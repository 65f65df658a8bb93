/* udp_sink.h: netconsole packets over UDP: queued, sent in order when the card has room and the target is
 * known. */
#ifndef AGPU_NET_UDP_SINK_H
#define AGPU_NET_UDP_SINK_H

#include "efi/config.h"
#include "efi/net/netif.h"
#include "tests/cases/harness/stream.h"

void agpu_udp_sink_add(struct agpu_stream *stream);

/* Says where packets go. False when lwIP has no room. */
bool agpu_udp_sink_open(const struct agpu_netconsole *target, const char *release);

/* From now on packets go there. False when the source port is not to be had, and nothing changed. */
bool agpu_udp_sink_aim(const struct agpu_netconsole *target);

/* Sends as much as the card takes. The interface must have an address. */
void agpu_udp_sink_poll(struct agpu_netif *netif);

/* Forgets what is queued and takes no more. */
void agpu_udp_sink_close(void);

/* True when nothing is queued. */
bool agpu_udp_sink_empty(void);

/* Packets that are queued. */
uint64_t agpu_udp_sink_waiting(void);

/* Packets that were dropped because the queue was full. */
uint64_t agpu_udp_sink_dropped(void);

#endif
