/* peers.h: the other machines on the image's network: a collector, a DHCP server, and sources of frames of any kind. */
#ifndef AGPU_TEST_EFI_NET_PEERS_H
#define AGPU_TEST_EFI_NET_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PEER_OWN_IP    UINT32_C(0x0A000002) /* 10.0.0.2: the image's address */
#define PEER_TARGET_IP UINT32_C(0x0A000001)
#define PEER_OTHER_IP  UINT32_C(0x0A0000FE)

extern const uint8_t peer_target_mac[6], peer_hostile_mac[6];

struct peers {
    bool answers;     /* the target answers ARP */
    bool serves_dhcp; /* the target is also a DHCP server */
    bool duplicate;   /* another machine has the image's address too, and answers for it */
    unsigned probed;  /* ARP probes (sender address 0) for the image's address */
    uint32_t lease_s;
    uint32_t offered, gateway; /* address and router of the lease; 0: PEER_OWN_IP, no router */
    const char *settings;      /* option 224 of the lease, if the image requests it; NULL: none */
    unsigned records;          /* UDP datagrams to port 6666 with the target's MAC or the broadcast MAC */
    unsigned to_all;           /* of those, with the broadcast MAC */
    unsigned diverted;         /* datagrams with any other MAC */
    unsigned arp_asked;        /* ARP requests for the target */
    unsigned arp_replies;      /* replies of the image */
    unsigned echo_replies, other_icmp;
    unsigned dhcp_asked;
    char last[1500]; /* text of the latest record */
};

/* Callback for struct lan_peer. */
void peers_frame(void *ctx, const uint8_t *frame, size_t size);

/* Numbers in network order. */
void peer_put16(uint8_t *at, unsigned value);
void peer_put32(uint8_t *at, uint32_t value);
unsigned peer_get16(const uint8_t *at);
uint32_t peer_get32(const uint8_t *at);

/* Puts Ethernet and IP headers in front of size bytes of TCP (6) or UDP (17) at frame + 34, from the target's MAC to
 * the image. Fills in the checksum, which must be 0. */
void peer_ip(uint8_t *frame, unsigned protocol, uint32_t from, size_t size);

/* Each delivers one frame to the image. opcode 1: a request for the image's address; 2: a reply to it. */
void peer_arp(unsigned opcode, uint32_t sender_ip, const uint8_t sender_mac[6], const uint8_t to[6]);
void peer_echo(uint32_t from);
void peer_udp(uint16_t from_port, uint16_t to_port, const void *data, size_t size, const uint8_t to[6]);

#endif
