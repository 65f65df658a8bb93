/* netif.h: the lwIP network interface on a card (snp.h). */
#ifndef AGPU_NET_NETIF_H
#define AGPU_NET_NETIF_H

#include "efi/net/snp.h"
#include "lwip/netif.h"
#include "lwip/prot/ethernet.h"

struct agpu_netif {
    struct netif lwip;
    struct agpu_snp snp;
    bool media; /* the cable was in at the last poll */
    /* Packets for this address go to this MAC without ARP (netconsole's tgt-mac). 0: none. Network order. */
    uint32_t fixed_ip;
    struct eth_addr fixed_mac;
};

/* Adds an opened card to lwIP as its default interface, up, without an address. */
bool agpu_netif_add(struct agpu_netif *netif);

/* Feeds lwIP what the card received, sends what it queued, runs lwIP's timers. */
void agpu_netif_poll(struct agpu_netif *netif);

#endif
