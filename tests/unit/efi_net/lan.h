/* lan.h: the image's network (efi/net with lwIP) on this host, with a fake card and a clock that the test advances. */
#ifndef AGPU_TEST_EFI_NET_LAN_H
#define AGPU_TEST_EFI_NET_LAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "efi/net/net.h"

#define LAN_FRAME_MAX 1514

extern const uint8_t lan_mac[6]; /* MAC of the image's card */

/* The other end of the cable. */
struct lan_peer {
    void *ctx;
    void (*frame)(void *ctx, const uint8_t *frame,
                  size_t size); /* the image sent this frame; the callback may call lan_deliver() */
    void (*tick)(void *ctx);    /* a millisecond has passed; may be NULL */
};

/* Starts the network with this agpu.cfg and connects a stream to it. Ends an earlier start first. */
void lan_start(const char *config, const struct lan_peer *peer);
void lan_stop(void);
/* lan_stop() as a teardown of cmocka. */
int lan_end(void **state);

/* Delivers a frame to the image's card. The card's queue holds 64 frames, further ones are dropped. */
void lan_deliver(const void *frame, size_t size);

/* Tags all frames that are received from now on with this VLAN; 0: no tag. */
void lan_tag(uint16_t vlan);

/* Plugs or unplugs the cable. Before the first call the card does not report the link state, as some drivers never do.
 * Without a cable, frames that the card sends are lost. */
void lan_carrier(bool there);
/* The card has no cable from the next lan_start() on. */
void lan_begins_without_carrier(void);

/* Advances the image's time, two polls per millisecond. */
void lan_run(unsigned milliseconds);
uint64_t lan_now_ms(void);

/* Ends the run: does what the image does from its last case until it stops the network, for as long as that takes. */
void lan_leave(void);

/* Writes a log record. */
void lan_say(const char *text);
/* Writes the summary of a run without cases. */
void lan_say_summary(void);
/* Writes "record 0", "record 1" ... and waits every_ms after each. */
void lan_say_many(unsigned count, unsigned every_ms);

/* Returns what the stream also received, e.g. warnings of the network: the latest 8 KiB. */
const char *lan_records(void);

#endif
