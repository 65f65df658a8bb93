/* peers6.h: who else is on the image's IPv6 network: a collector, a router, and one that claims addresses. */
#ifndef AGPU_TEST_EFI_NET_PEERS6_H
#define AGPU_TEST_EFI_NET_PEERS6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fd00::1, fe80::1: the target's; fd00::/64: the router's prefix. */
extern const uint8_t peer6_target[16], peer6_target_local[16], peer6_prefix[16];

struct peers6 {
    bool answers;      /* the target answers solicitations */
    bool routes;       /* a router answers router solicitations, and says the prefix */
    bool twin;         /* another machine has every address that the image asks about */
    unsigned records;  /* UDP datagrams to port 6666 that went to the target's MAC */
    unsigned diverted; /* that went to any other */
    unsigned to_group; /* to ff02::1 */
    unsigned asked, asked_routers, advertised;
    uint8_t from[16]; /* of the latest record */
    char last[1500];
};

/* For struct lan_peer. */
void peers6_frame(void *ctx, const uint8_t *frame, size_t size);

/* Puts Ethernet's and IPv6's headers before size bytes at frame + 54, and the checksum, which is at this offset of them and was 0. */
void peer6_ip(uint8_t *frame, unsigned protocol, const uint8_t from[16], const uint8_t to[16],
              const uint8_t from_mac[6], size_t size, size_t checksum_at);

/* A neighbour advertisement: this address has this MAC. */
void peer6_advertise(const uint8_t ip[16], const uint8_t mac[6], const uint8_t to[16], bool solicited);

/* A router's. */
void peer6_announce(const uint8_t prefix[16]);

#endif
