/* sender.h: the sender of a datagram, and the list of allowed senders. */
#ifndef AGPU_HOST_RUN_SENDER_H
#define AGPU_HOST_RUN_SENDER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An IPv6 address; IPv4 addresses are mapped: ::ffff:A.B.C.D. */
struct agpu_sender {
    struct in6_addr ip;
    uint32_t scope; /* interface of a link-local address; 0 otherwise */
    uint16_t port;
};

#define AGPU_SENDER_TEXT_MAX 64

/* Writes the address without the port: "10.0.0.7", "fe80::1%2". */
void agpu_sender_text(const struct agpu_sender *sender, char text[AGPU_SENDER_TEXT_MAX]);

bool agpu_sender_same(const struct agpu_sender *a, const struct agpu_sender *b);

/* A range of addresses with a common prefix. */
struct agpu_network {
    struct in6_addr ip;
    unsigned bits; /* 0..128 */
};

#define AGPU_NETWORKS_MAX 32

/* The networks from which datagrams are accepted; none: all. */
struct agpu_allowed {
    struct agpu_network networks[AGPU_NETWORKS_MAX];
    size_t count;
};

/* Adds ADDRESS or ADDRESS/BITS, IPv4 or IPv6. Returns NULL, or the error. */
const char *agpu_allowed_add(struct agpu_allowed *allowed, const char *text);

bool agpu_allowed_has(const struct agpu_allowed *allowed, const struct in6_addr *ip);

#endif
