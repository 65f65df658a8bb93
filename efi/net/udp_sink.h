/* udp_sink.h: netconsole packets over UDP: queued for each target, sent in order when the card has room and
 * the target can be reached. */
#ifndef AGPU_NET_UDP_SINK_H
#define AGPU_NET_UDP_SINK_H

#include "efi/config.h"
#include "efi/net/netif.h"
#include "efi/net/targets.h"
#include "tests/cases/harness/stream.h"

void agpu_udp_sink_add(struct agpu_stream *stream);

/* How packets look and where they come from, of a network that begins. False when lwIP has no room. */
bool agpu_udp_sink_open(const struct agpu_netconsole *format, const char *release);

/* From now on they look so. False when the source port is not to be had, and nothing changed. */
bool agpu_udp_sink_format(const struct agpu_netconsole *format);

/* Packets go to this target, too, by the way of its number; the first has all that was said so far, others what waits for it. Once its
 * address is known (none: not yet), they are sent. False without memory. */
bool agpu_udp_sink_aim(unsigned number, const struct agpu_target *target);

/* Sends as much as the card takes, to those that can be reached. */
void agpu_udp_sink_poll(struct agpu_netif *netif);

/* Forgets what is queued and takes no more. */
void agpu_udp_sink_close(void);

/* True when nothing is queued; and when the last datagram has had time to leave the card. */
bool agpu_udp_sink_empty(void);
bool agpu_udp_sink_settled(void);

/* Packets that are queued: for all targets, for one. */
uint64_t agpu_udp_sink_waiting(void);
uint64_t agpu_udp_sink_waiting_for(unsigned number);

/* Packets for the first target that were dropped because the queue was full, or refused by lwIP; and for one of the others. */
uint64_t agpu_udp_sink_dropped(void);
uint64_t agpu_udp_sink_dropped_for(unsigned number);

#endif
