/* lan.h: the image's network (efi/net with lwIP) on this host, on a card of ours and a clock that the test moves. */
#ifndef AGPU_TEST_EFI_NET_LAN_H
#define AGPU_TEST_EFI_NET_LAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "efi/net/net.h"

#define LAN_FRAME_MAX 1514

extern const uint8_t lan_mac[6]; /* of the image's card */

/* What stands at the other end of the cable. */
struct lan_peer {
    void *ctx;
    void (*frame)(void *ctx, const uint8_t *frame,
                  size_t size); /* the image sent this; may call lan_deliver() */
    void (*tick)(void *ctx);    /* a millisecond has passed; may be NULL */
};

/* Starts the network as this agpu.cfg says, with a stream into it. What an earlier start left is ended first. */
void lan_start(const char *config, const struct lan_peer *peer);
void lan_stop(void);
/* The same as a teardown of cmocka. */
int lan_end(void **state);

/* The image's card receives this; dropped when 64 wait, as a card's ring does. */
void lan_deliver(const void *frame, size_t size);

/* From now on what is received has this VLAN's tag; 0: none. */
void lan_tag(uint16_t vlan);

/* Is a cable in? Until then the card tells nothing of that, as some drivers never do. A card without one sends into the void. */
void lan_carrier(bool there);
/* The same from the next lan_start() on. */
void lan_begins_without_carrier(void);

/* Lets the image's time pass, two polls a millisecond. */
void lan_run(unsigned milliseconds);
uint64_t lan_now_ms(void);

/* The run is over: what the image does from its last case until it stops the network, as long as that takes. */
void lan_leave(void);

/* A log record. */
void lan_say(const char *text);
/* The summary of a run of no case. */
void lan_say_summary(void);
/* "record 0", "record 1" ... with so much time behind each. */
void lan_say_many(unsigned count, unsigned every_ms);

/* What the stream got besides, e.g. warnings of the network; the latest 8 KiB. */
const char *lan_records(void);

#endif
