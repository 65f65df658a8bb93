/* net.h: the network as the application sees it: start, poll, state, stop; and the record sink on it. */
#ifndef AGPU_NET_NET_H
#define AGPU_NET_NET_H

#include "efi/config.h"
#include "tests/cases/harness/stream.h"

struct agpu_snp;

enum agpu_net_state {
    AGPU_NET_OFF,     /* not started, or given up: no card, or none that works */
    AGPU_NET_WAITING, /* a card runs, no address yet */
    AGPU_NET_UP,
};

/* Adds the UDP sink: it keeps what it gets until the network is up. Nothing of the firmware is touched. */
void agpu_net_add_sink(struct agpu_stream *stream);

/* Gets the DHCP packet with which the card got its address; may change the configuration. */
typedef void agpu_net_leased_fn(const uint8_t *packet, size_t size);

/* Brings a card up as configured and begins to get an address; does not wait for it. build is the release
 * that netconsole's "r" asks for. When an address has come, leased is called before the first record leaves, and netconsole=,
 * token= and key= are looked at again (but for the card). What is wrong is sent to the stream as warnings. config stays. */
void agpu_net_start(struct agpu_stream *stream, const struct agpu_config *config, const char *build,
                    agpu_net_leased_fn *leased);

/* Moves frames and queued records, sees state changes. Never blocks; safe to call from inside itself. */
void agpu_net_poll(void);

enum agpu_net_state agpu_net_state(void);

/* "10.0.2.15 -> 10.0.2.2:6666", or what is missing, for the screen. */
void agpu_net_describe(struct agpu_text *text);

/* True when every record handed to the sink so far has left, or can not leave. */
bool agpu_net_drained(void);

/* Records that the stream has not brought to its collector yet, which may take it. */
uint64_t agpu_net_stream_waiting(void);

/* And has a collector that takes the stream acknowledged all of them; or, without one, have the datagrams had time to leave the card? */
bool agpu_net_acknowledged(void);

/* Sends to the stream how many frames and records were lost, and who else claimed to be the target, if any. */
void agpu_net_report(void);

/* Records that wait to be sent. */
uint64_t agpu_net_waiting(void);

/* Sends to the stream, for the other sinks, how many records will not be sent any more, if any. */
void agpu_net_report_waiting(void);

/* The card, to measure what it carries by itself; NULL: there is none. */
struct agpu_snp *agpu_net_card(void);

/* Gives the card back. */
void agpu_net_stop(void);

#endif
