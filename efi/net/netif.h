/* netif.h: lwIP's network interface on a card (snp.h). */
#ifndef AGPU_NET_NETIF_H
#define AGPU_NET_NETIF_H

#include "efi/net/address.h"
#include "efi/net/way.h"
#include "lwip/netif.h"

struct agpu_netif {
    struct netif lwip;
    struct agpu_snp snp;
    bool media; /* the cable was plugged in at the last poll */
    struct agpu_ways ways;
    struct agpu_address_probe probe;
    bool hears_v6; /* IPv6 is in use; otherwise incoming IPv6 is dropped */
    /* Replies to frames of others have their own rate limit and frame buffers, so that a flood leaves buffers
     * for records. */
    bool in_input; /* lwIP is processing a received frame: anything it sends now is a reply */
    unsigned replies_left;
    uint64_t replies_ns; /* time of the last refill of replies_left */
    uint64_t replies_withheld;
    /* Gets the DHCP packet that assigned the first address, before anything is sent from that address; may be
     * NULL. */
    void (*leased)(const uint8_t *packet, size_t size);
};

/* Adds an opened card to lwIP as its default interface, up, without an address. */
bool agpu_netif_add(struct agpu_netif *netif);

/* Takes the interface out of lwIP. */
void agpu_netif_remove(struct agpu_netif *netif);

/* Passes received frames to lwIP, sends queued ones, and runs lwIP's timers. */
void agpu_netif_poll(struct agpu_netif *netif);

#endif
