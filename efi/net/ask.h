/* ask.h: frames that resolve an address: ARP request, IPv6 neighbour solicitation (RFC 4861 4.3). */
#ifndef AGPU_NET_ASK_H
#define AGPU_NET_ASK_H

#include "efi/ip.h"
#include "efi/net/snp.h"
#include "lwip/netif.h"

struct agpu_ip agpu_ip_of_lwip4(const ip4_addr_t *address);
struct agpu_ip agpu_ip_of_lwip6(const ip6_addr_t *address);
ip_addr_t agpu_lwip_of_ip(const struct agpu_ip *ip);

/* Asks for the MAC of ip, of either family: by broadcast or multicast (to NULL), or from this MAC. Sends
 * nothing without an own address on that network, or without space on the card. */
void agpu_ask(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip, const uint8_t *to);

/* Asks whether another machine has this address of ours (RFC 4862 5.4.2, RFC 5227 2.1.1). The sender address
 * is left empty, so that no neighbour table changes. */
void agpu_ask_for_conflict(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip);

#endif
