/* udp_sink.h: netconsole packets over UDP: queued for each target, sent in order while the card has space and
 * the target can be reached. */
#ifndef AGPU_NET_UDP_SINK_H
#define AGPU_NET_UDP_SINK_H

#include "efi/config.h"
#include "efi/net/netif.h"
#include "efi/net/targets.h"
#include "tests/cases/harness/stream.h"

void agpu_udp_sink_add(struct agpu_stream *stream);

/* Sets format and source port for a new network. False when lwIP has no memory. */
bool agpu_udp_sink_open(const struct agpu_netconsole *format, const char *release);

/* Changes the format from now on. False, with nothing changed, when the source port is taken. */
bool agpu_udp_sink_format(const struct agpu_netconsole *format);

/* Adds a target, reached by the way of the same number. The first target gets all records so far, the others
 * those still queued. Sending starts when the target's address is known (all zero: not yet). False without
 * memory. */
bool agpu_udp_sink_aim(unsigned number, const struct agpu_target *target);

/* Sends as much as the card accepts, to all targets that can be reached. */
void agpu_udp_sink_poll(struct agpu_netif *netif);

/* Drops the queues and accepts no more. */
void agpu_udp_sink_close(void);

/* True when nothing is queued (empty); when also the last datagram has had time to leave the card
 * (settled). */
bool agpu_udp_sink_empty(void);
bool agpu_udp_sink_settled(void);

/* Queued packets: of all targets, of one. */
uint64_t agpu_udp_sink_waiting(void);
uint64_t agpu_udp_sink_waiting_for(unsigned number);

/* Packets for the first target that were dropped because the queue was full, or refused by lwIP; the same for
 * one of the others. */
uint64_t agpu_udp_sink_dropped(void);
uint64_t agpu_udp_sink_dropped_for(unsigned number);

#endif
