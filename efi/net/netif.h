/* netif.h: the lwIP network interface on a card (snp.h). */
#ifndef AGPU_NET_NETIF_H
#define AGPU_NET_NETIF_H

#include "efi/net/address.h"
#include "efi/net/way.h"
#include "lwip/netif.h"

struct agpu_netif {
    struct netif lwip;
    struct agpu_snp snp;
    bool media; /* the cable was in at the last poll */
    struct agpu_ways ways;
    struct agpu_address_probe probe;
    bool hears_v6; /* IPv6 is in use: without, nothing of it comes in */
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

/* Takes the interface out of lwIP. */
void agpu_netif_remove(struct agpu_netif *netif);

/* Feeds lwIP what the card received, sends what it queued, runs lwIP's timers. */
void agpu_netif_poll(struct agpu_netif *netif);

#endif
