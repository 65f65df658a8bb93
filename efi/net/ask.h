/* ask.h: frames that ask who has an address: ARP's request, IPv6's neighbour solicitation (RFC 4861 4.3). */
#ifndef AGPU_NET_ASK_H
#define AGPU_NET_ASK_H

#include "efi/ip.h"
#include "efi/net/snp.h"
#include "lwip/netif.h"

struct agpu_ip agpu_ip_of_lwip4(const ip4_addr_t *address);
struct agpu_ip agpu_ip_of_lwip6(const ip6_addr_t *address);
ip_addr_t agpu_lwip_of_ip(const struct agpu_ip *ip);

/* Asks everybody (to NULL), or this MAC, for the MAC of ip, of whichever family. Without an address of our own on the way there,
 * or room on the card, nothing is sent. */
void agpu_ask(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip, const uint8_t *to);

/* Asks whether anybody else has this address of ours (RFC 4862 5.4.2, RFC 5227 2.1.1): from nobody, so that no table changes. */
void agpu_ask_for_twin(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip);

#endif
