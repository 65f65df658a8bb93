/* peers6.h: the other machines on the image's IPv6 network: a collector, a router, and one that claims addresses. */
#ifndef AGPU_TEST_EFI_NET_PEERS6_H
#define AGPU_TEST_EFI_NET_PEERS6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* fd00::1 and fe80::1 are the target's addresses; fd00::/64 is the router's prefix. */
extern const uint8_t peer6_target[16], peer6_target_local[16], peer6_prefix[16];

struct peers6 {
    bool answers;      /* the target answers solicitations */
    bool routes;       /* a router answers router solicitations with the prefix */
    bool duplicate;    /* another machine claims each address that the image asks for */
    unsigned records;  /* UDP datagrams to port 6666 with the target's MAC */
    unsigned diverted; /* with any other MAC */
    unsigned to_group; /* with the MAC of ff02::1 */
    unsigned asked, asked_routers, advertised;
    uint8_t from[16]; /* source address of the latest record */
    char last[1500];
};

/* Callback for struct lan_peer. */
void peers6_frame(void *ctx, const uint8_t *frame, size_t size);

/* Puts Ethernet and IPv6 headers in front of size bytes at frame + 54. Fills in the checksum at offset checksum_at of
 * those bytes, which must be 0. */
void peer6_ip(uint8_t *frame, unsigned protocol, const uint8_t from[16], const uint8_t to[16],
              const uint8_t from_mac[6], size_t size, size_t checksum_at);

/* Delivers a neighbour advertisement: address ip has this MAC. */
void peer6_advertise(const uint8_t ip[16], const uint8_t mac[6], const uint8_t to[16], bool solicited);

/* Delivers a router advertisement. */
void peer6_announce(const uint8_t prefix[16]);

#endif
