/* netif.h: the lwIP network interface on a card (snp.h). */
#ifndef AGPU_NET_NETIF_H
#define AGPU_NET_NETIF_H

#include "efi/net/neighbour.h"
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
    /* Else the next hop on the way to the target: lwIP's own table believes whoever spoke last. */
    struct agpu_neighbour neighbour;
    /* What others make us send has a rate and frames of its own, so that a flood leaves records theirs. */
    bool in_input; /* lwIP is handed a frame: what it sends now is a reply */
    unsigned replies_left;
    uint64_t replies_ns; /* when replies_left was counted up last */
    uint64_t replies_withheld;
    /* Gets the DHCP packet with which the interface got its first address, before anything is sent from there; may be NULL. */
    void (*leased)(const uint8_t *packet, size_t size);
};

/* Adds an opened card to lwIP as its default interface, up, without an address. */
bool agpu_netif_add(struct agpu_netif *netif);

/* Asks for the MAC of the next hop to ip (network order), if it is time to; true when it is known or none is needed. */
bool agpu_netif_reaches(struct agpu_netif *netif, uint32_t ip);

/* Takes the interface out of lwIP. */
void agpu_netif_remove(struct agpu_netif *netif);

/* Feeds lwIP what the card received, sends what it queued, runs lwIP's timers. */
void agpu_netif_poll(struct agpu_netif *netif);

#endif
