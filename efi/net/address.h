/* address.h: this machine's own addresses: configured, leased (DHCPv4), or formed from a router's prefix
 * (SLAAC, RFC 4862). */
#ifndef AGPU_NET_ADDRESS_H
#define AGPU_NET_ADDRESS_H

#include "efi/config.h"
#include "efi/net/snp.h"
#include "lwip/netif.h"

/* Starts to acquire addresses of this family, as configured. Call once each. False when DHCP cannot start. */
bool agpu_address_start_v4(struct netif *lwip, const struct agpu_config *config);
void agpu_address_start_v6(struct netif *lwip, const struct agpu_config *config);

/* State of the duplicate check of the IPv4 address. Zero-initialised. */
struct agpu_address_probe {
    struct agpu_ip ip;
    unsigned left; /* requests still to send */
    uint64_t next_ns;
};

/* Call often. Takes IPv6 addresses into use as soon as they are known and checks that no other machine has
 * them. Checks a new IPv4 address three times (RFC 5227 2.1.1) while it is already in use. */
void agpu_address_poll(struct netif *lwip, struct agpu_snp *snp, struct agpu_address_probe *probe);

/* Returns the source address for packets to this machine; all zero: there is none yet. */
struct agpu_ip agpu_address_for(struct netif *lwip, const struct agpu_ip *to);

/* True for an address of this machine. */
bool agpu_address_is_own(struct netif *lwip, const struct agpu_ip *ip);

#endif
