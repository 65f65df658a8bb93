/* sender.c: compares, prints and parses addresses. */
#include "tests/host/run/sender.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPPED_BITS 96 /* ::ffff:0:0/96 */

void agpu_sender_text(const struct agpu_sender *sender, char text[AGPU_SENDER_TEXT_MAX])
{
    char address[INET6_ADDRSTRLEN] = "?";

    if (IN6_IS_ADDR_V4MAPPED(&sender->ip)) {
        inet_ntop(AF_INET, &sender->ip.s6_addr[12], address, sizeof address);
    } else {
        inet_ntop(AF_INET6, &sender->ip, address, sizeof address);
    }
    if (sender->scope != 0) {
        snprintf(text, AGPU_SENDER_TEXT_MAX, "%s%%%u", address, sender->scope);
    } else {
        snprintf(text, AGPU_SENDER_TEXT_MAX, "%s", address);
    }
}

bool agpu_sender_same(const struct agpu_sender *a, const struct agpu_sender *b)
{
    return a->port == b->port && a->scope == b->scope && memcmp(&a->ip, &b->ip, sizeof a->ip) == 0;
}

const char *agpu_allowed_add(struct agpu_allowed *allowed, const char *text)
{
    char address[INET6_ADDRSTRLEN + 1] = "";
    const char *slash = strchr(text, '/');
    const size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
    struct agpu_network *network = &allowed->networks[allowed->count];
    unsigned long bits;
    char *end = NULL;
    unsigned offset;

    if (allowed->count == AGPU_NETWORKS_MAX) {
        return "there may be 32 of them";
    }
    if (length >= sizeof address) {
        return "expected ADDRESS or ADDRESS/BITS, IPv4 or IPv6";
    }
    memcpy(address, text, length);
    *network = (struct agpu_network){.ip.s6_addr = {[10] = 0xFF, [11] = 0xFF}};
    if (inet_pton(AF_INET, address, &network->ip.s6_addr[12]) == 1) {
        offset = MAPPED_BITS;
    } else if (inet_pton(AF_INET6, address, &network->ip) == 1) {
        offset = 0;
    } else {
        return "expected ADDRESS or ADDRESS/BITS, IPv4 or IPv6";
    }
    bits = slash != NULL ? strtoul(slash + 1, &end, 10) : 128 - offset;
    if (slash != NULL && (slash[1] < '0' || slash[1] > '9' || *end != '\0' || bits > 128 - offset)) {
        return "the number after the slash is not 0..32 for IPv4, 0..128 for IPv6";
    }
    network->bits = offset + (unsigned)bits;
    allowed->count++;
    return NULL;
}

static bool network_has(const struct agpu_network *network, const struct in6_addr *ip)
{
    const unsigned bytes = network->bits / 8;
    const unsigned left = network->bits % 8;
    const uint8_t mask = (uint8_t)(0xFF00u >> left);

    return memcmp(network->ip.s6_addr, ip->s6_addr, bytes) == 0 &&
           (left == 0 || ((network->ip.s6_addr[bytes] ^ ip->s6_addr[bytes]) & mask) == 0);
}

bool agpu_allowed_has(const struct agpu_allowed *allowed, const struct in6_addr *ip)
{
    for (size_t i = 0; i < allowed->count; i++) {
        if (network_has(&allowed->networks[i], ip)) {
            return true;
        }
    }
    return allowed->count == 0;
}
