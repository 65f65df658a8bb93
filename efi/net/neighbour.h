/* neighbour.h: the MAC address that records are sent to: resolved by ARP or neighbour discovery, and then
 * kept for as long as its owner answers, even if another machine claims the address. No I/O and no clock. */
#ifndef AGPU_NET_NEIGHBOUR_H
#define AGPU_NET_NEIGHBOUR_H

#include "efi/ip.h"

enum agpu_neighbour_ask {
    AGPU_NEIGHBOUR_WAIT,
    AGPU_NEIGHBOUR_ASK_ALL, /* broadcast a request */
    AGPU_NEIGHBOUR_ASK_IT,  /* send a request to the known MAC */
};

/* Zero-initialised: no address to resolve. */
struct agpu_neighbour {
    struct agpu_ip ip; /* all zero: none */
    bool known;
    uint8_t mac[6];
    uint64_t heard_ns; /* last frame from the MAC */
    uint64_t asked_ns; /* 0: no request since that */
    unsigned unanswered;
    bool other; /* another MAC answered while the known one did not */
    uint8_t other_mac[6];
    uint64_t other_ns;
    uint64_t claims; /* packets in which another MAC claimed the address */
    uint64_t moves;  /* times that another MAC replaced a silent one */
};

/* Sets the address to resolve; drops what is known about another one. */
void agpu_neighbour_want(struct agpu_neighbour *neighbour, const struct agpu_ip *ip);

/* A packet (ARP, neighbour advertisement) states that mac has ip. answer: it is a reply to this machine. */
void agpu_neighbour_claim(struct agpu_neighbour *neighbour, const struct agpu_ip *ip, const uint8_t mac[6],
                          bool answer, uint64_t now_ns);

/* A frame from mac arrived. */
void agpu_neighbour_heard(struct agpu_neighbour *neighbour, const uint8_t mac[6], uint64_t now_ns);

/* Returns the next action, which the caller carries out. */
enum agpu_neighbour_ask agpu_neighbour_poll(struct agpu_neighbour *neighbour, uint64_t now_ns);

#endif
