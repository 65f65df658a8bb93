/* way.h: the ways to the machines that records go to: the next hop on each, and its MAC, which once known is kept for as long as
 * its owner answers (neighbour.h): lwIP's own tables believe whoever spoke last. */
#ifndef AGPU_NET_WAY_H
#define AGPU_NET_WAY_H

#include "efi/net/neighbour.h"
#include "efi/net/snp.h"
#include "lwip/netif.h"

#define AGPU_WAYS_MAX 4

struct agpu_way {
    struct agpu_ip to; /* none: unused */
    bool fixed;        /* goes to this MAC, and nobody is asked (netconsole's tgt-mac) */
    uint8_t fixed_mac[6];
    struct agpu_neighbour neighbour; /* the next hop */
};

/* Zero-initialised but for the first three. */
struct agpu_ways {
    struct netif *lwip;
    struct agpu_snp *snp;
    struct agpu_ip gateway; /* of a given IPv6 address, and its prefix; none: as routers say */
    struct agpu_ip prefix;
    unsigned prefix_bits;
    struct agpu_way way[AGPU_WAYS_MAX];
    uint64_t twins; /* how often another machine said that it has an address of this one */
    struct agpu_ip twin_ip;
    uint8_t twin_mac[6];
};

/* Where a way leads from now on. mac NULL: it is asked for. */
void agpu_way_aim(struct agpu_ways *ways, unsigned way, const struct agpu_ip *to, const uint8_t mac[6]);

/* Asks for the MAC of the next hop, if it is time to; true when it is known or none is needed, and there is an address of our own
 * to send from. */
bool agpu_way_reaches(struct agpu_ways *ways, unsigned way);

/* The MAC that packets to this machine go to; NULL: no way knows. */
const uint8_t *agpu_way_mac(const struct agpu_ways *ways, const struct agpu_ip *to);

/* What a frame, of 14 bytes at least, tells of neighbours. */
void agpu_way_see(struct agpu_ways *ways, const uint8_t *frame, size_t size);

#endif
