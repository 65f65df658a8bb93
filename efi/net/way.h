/* way.h: routes to the machines that get records: the next hop of each, and its MAC, which is kept for as
 * long as its owner answers (neighbour.h). lwIP's own tables believe the latest claim. */
#ifndef AGPU_NET_WAY_H
#define AGPU_NET_WAY_H

#include "efi/net/neighbour.h"
#include "efi/net/snp.h"
#include "lwip/netif.h"

#define AGPU_WAYS_MAX 4

struct agpu_way {
    struct agpu_ip to; /* all zero: unused */
    bool fixed;        /* fixed MAC (netconsole's tgt-mac): never resolved */
    uint8_t fixed_mac[6];
    struct agpu_neighbour neighbour; /* the next hop */
};

/* Zero-initialised except for the first three members. */
struct agpu_ways {
    struct netif *lwip;
    struct agpu_snp *snp;
    struct agpu_ip gateway; /* gateway and prefix of a configured IPv6 address; all zero: from routers */
    struct agpu_ip prefix;
    unsigned prefix_bits;
    struct agpu_way way[AGPU_WAYS_MAX];
    uint64_t conflicts; /* times that another machine claimed an address of this one */
    struct agpu_ip conflict_ip;
    uint8_t conflict_mac[6];
};

/* Sets the destination of a way. mac NULL: it is resolved. */
void agpu_way_aim(struct agpu_ways *ways, unsigned way, const struct agpu_ip *to, const uint8_t mac[6]);

/* Resolves the MAC of the next hop, if a request is due. True when it is known or not needed, and this
 * machine has an address to send from. */
bool agpu_way_reaches(struct agpu_ways *ways, unsigned way);

/* Returns the MAC for packets to this machine; NULL: no way knows it. */
const uint8_t *agpu_way_mac(const struct agpu_ways *ways, const struct agpu_ip *to);

/* Learns neighbours from a received frame of at least 14 bytes. */
void agpu_way_see(struct agpu_ways *ways, const uint8_t *frame, size_t size);

#endif
