/* address.h: the addresses that this machine has: given, leased (DHCPv4), or made from what a router says (SLAAC, RFC 4862). */
#ifndef AGPU_NET_ADDRESS_H
#define AGPU_NET_ADDRESS_H

#include "efi/config.h"
#include "efi/net/snp.h"
#include "lwip/netif.h"

/* Begins to get addresses of this family, as the configuration says. Once each. False when DHCP cannot be had. */
bool agpu_address_start_v4(struct netif *lwip, const struct agpu_config *config);
void agpu_address_start_v6(struct netif *lwip, const struct agpu_config *config);

/* Who is asked whether another machine has the IPv4 address. Zero-initialised. */
struct agpu_address_probe {
    struct agpu_ip ip;
    unsigned left; /* requests */
    uint64_t next_ns;
};

/* To be called often: takes IPv6 addresses into use as soon as they are known, and asks whether another has them; and the same of an
 * IPv4 address that is new, three times (RFC 5227 2.1.1; the address is used meanwhile). */
void agpu_address_poll(struct netif *lwip, struct agpu_snp *snp, struct agpu_address_probe *probe);

/* The address that packets to this machine would come from; none: there is none for it yet. */
struct agpu_ip agpu_address_for(struct netif *lwip, const struct agpu_ip *to);

/* Is it one of ours? */
bool agpu_address_is_own(struct netif *lwip, const struct agpu_ip *ip);

#endif
