/* neighbour.h: the MAC address to which records go: asked for by ARP or neighbour discovery, and once it is known kept for as long as its owner
 * answers, whoever else claims the address. No I/O and no clock. */
#ifndef AGPU_NET_NEIGHBOUR_H
#define AGPU_NET_NEIGHBOUR_H

#include "efi/ip.h"

enum agpu_neighbour_ask {
    AGPU_NEIGHBOUR_WAIT,
    AGPU_NEIGHBOUR_ASK_ALL, /* send an ARP request to everybody */
    AGPU_NEIGHBOUR_ASK_IT,  /* send one to the MAC that is known */
};

/* Zero-initialised: no address wanted. */
struct agpu_neighbour {
    struct agpu_ip ip; /* none: nobody wanted */
    bool known;
    uint8_t mac[6];
    uint64_t heard_ns; /* the last sign of life */
    uint64_t asked_ns; /* 0: not since that */
    unsigned unanswered;
    bool other; /* another MAC answered while the known one did not */
    uint8_t other_mac[6];
    uint64_t other_ns;
    uint64_t claims; /* packets in which another MAC said that it has the address */
    uint64_t moves;  /* how often another MAC took the place of one that was silent */
};

/* The address to find from now on; what is known of another one is forgotten. */
void agpu_neighbour_want(struct agpu_neighbour *neighbour, const struct agpu_ip *ip);

/* A packet (ARP, neighbour advertisement) says that mac has ip. answer: it is a reply to us. */
void agpu_neighbour_claim(struct agpu_neighbour *neighbour, const struct agpu_ip *ip, const uint8_t mac[6],
                          bool answer, uint64_t now_ns);

/* A frame came from mac. */
void agpu_neighbour_heard(struct agpu_neighbour *neighbour, const uint8_t mac[6], uint64_t now_ns);

/* What to do now. The caller does it. */
enum agpu_neighbour_ask agpu_neighbour_poll(struct agpu_neighbour *neighbour, uint64_t now_ns);

#endif
