/* net.h: the application's interface to the network: start, poll, state, stop; and the record sink on it. */
#ifndef AGPU_NET_NET_H
#define AGPU_NET_NET_H

#include "efi/config.h"
#include "tests/cases/harness/stream.h"

struct agpu_snp;

enum agpu_net_state {
    AGPU_NET_OFF,     /* not started, or given up: no working card */
    AGPU_NET_WAITING, /* a card runs, but has no address yet */
    AGPU_NET_UP,
};

/* Adds the UDP sink, which queues records until the network is up. Does not touch the firmware. */
void agpu_net_add_sink(struct agpu_stream *stream);

/* Gets the DHCP packet that assigned the card's address; may change the configuration. */
typedef void agpu_net_leased_fn(const uint8_t *packet, size_t size);

/* Brings up the configured card and starts to acquire an address; does not wait for it. build is the release
 * string for netconsole's "r". When there is an address, leased is called before the first record is sent,
 * and netconsole= (without the card), token= and key= are then read again from config, which must stay valid.
 * Problems are sent to the stream as warnings. */
void agpu_net_start(struct agpu_stream *stream, const struct agpu_config *config, const char *build,
                    agpu_net_leased_fn *leased);

/* Moves frames and queued records, and detects state changes. Never blocks; may be called from inside
 * itself. */
void agpu_net_poll(void);

enum agpu_net_state agpu_net_state(void);

/* Appends "10.0.2.15 -> 10.0.2.2:6666", or what is missing, for the screen. */
void agpu_net_describe(struct agpu_text *text);

/* True when every record so far has been sent, or can never be sent. */
bool agpu_net_drained(void);

/* Records of the stream that its collector has not acknowledged; 0 when it takes no stream. */
uint64_t agpu_net_stream_waiting(void);

/* True when, in addition, a collector that takes the stream has acknowledged all of them; without one, when
 * the datagrams have had time to leave the card. */
bool agpu_net_acknowledged(void);

/* Sends to the stream how many frames and records were lost, and which other machine claimed the target's
 * address, if any. */
void agpu_net_report(void);

/* Records that wait to be sent. */
uint64_t agpu_net_waiting(void);

/* Sends to the stream, for the other sinks, how many records will never be sent, if any. */
void agpu_net_report_waiting(void);

/* Returns the card, to measure its own throughput; NULL: there is none. */
struct agpu_snp *agpu_net_card(void);

/* Returns the card to the firmware. */
void agpu_net_stop(void);

#endif
