/* ask.c: requests for a MAC. */
#include "efi/net/ask.h"

#include <string.h>

#include "lwip/ip6.h"

#define ARP_SIZE     42u /* Ethernet header and ARP packet */
#define IP6_AT       14u
#define ICMP_AT      (IP6_AT + 40u)
#define SOLICITATION 135u
#define MESSAGE_SIZE 24u
#define OPTION_SIZE  8u

struct agpu_ip agpu_ip_of_lwip4(const ip4_addr_t *address)
{
    const uint32_t number = lwip_ntohl(ip4_addr_get_u32(address));

    return number != 0 ? agpu_ip_of_v4(number) : (struct agpu_ip){{0}};
}

struct agpu_ip agpu_ip_of_lwip6(const ip6_addr_t *address)
{
    struct agpu_ip ip;

    memcpy(ip.bytes, address->addr, sizeof ip.bytes);
    return ip;
}

ip_addr_t agpu_lwip_of_ip(const struct agpu_ip *ip)
{
    ip_addr_t address;

    memset(&address, 0, sizeof address);
    if (agpu_ip_is_v4(ip)) {
        IP_SET_TYPE(&address, IPADDR_TYPE_V4);
        ip4_addr_set_u32(ip_2_ip4(&address), lwip_htonl(agpu_ip_v4(ip)));
    } else {
        IP_SET_TYPE(&address, IPADDR_TYPE_V6);
        memcpy(ip_2_ip6(&address)->addr, ip->bytes, sizeof ip->bytes);
    }
    return address;
}

/* own: sender address in network order; 0 for a duplicate check. */
static void ask_by_arp(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip, const uint8_t *to,
                       uint32_t own)
{
    static const uint8_t head[] = {0x08, 0x06, 0, 1, 0x08, 0x00, 6, 4, 0, 1};
    uint8_t *frame = agpu_snp_frame(snp);

    if (frame == NULL) {
        return;
    }
    if (to != NULL) {
        memcpy(frame, to, 6);
    } else {
        memset(frame, 0xFF, 6);
    }
    memcpy(frame + 6, lwip->hwaddr, 6);
    memcpy(frame + 12, head, sizeof head);
    memcpy(frame + 22, lwip->hwaddr, 6);
    memcpy(frame + 28, &own, 4);
    memset(frame + 32, 0, 6);
    memcpy(frame + 38, ip->bytes + 12, 4);
    agpu_snp_queue(snp, ARP_SIZE, false);
}

/* RFC 4443 2.3: checksum over a pseudo header (both addresses, length, next header) and the message. */
static void put_checksum(uint8_t *frame, size_t size)
{
    uint32_t sum = (uint32_t)size + 58;

    for (size_t i = IP6_AT + 8; i < ICMP_AT + size; i += 2) {
        sum += (uint32_t)frame[i] << 8 | frame[i + 1];
    }
    while (sum >> 16) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    frame[ICMP_AT + 2] = (uint8_t)(~sum >> 8);
    frame[ICMP_AT + 3] = (uint8_t)~sum;
}

/* from NULL: unspecified sender, for a duplicate check; the other owner then answers to all nodes. */
static void solicit(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip, const uint8_t *to,
                    const ip6_addr_t *from)
{
    static const uint8_t group_mac[] = {0x33, 0x33, 0xFF}, group[] = {0xFF, 0x02, [11] = 1, [12] = 0xFF};
    const size_t size = MESSAGE_SIZE + (from != NULL ? OPTION_SIZE : 0);
    uint8_t *frame = agpu_snp_frame(snp);

    if (frame == NULL) {
        return;
    }
    memset(frame, 0, ICMP_AT + size);
    if (to != NULL) {
        memcpy(frame, to, 6);
        memcpy(frame + IP6_AT + 24, ip->bytes, 16);
    } else {
        memcpy(frame, group_mac, sizeof group_mac);
        memcpy(frame + 3, ip->bytes + 13, 3);
        memcpy(frame + IP6_AT + 24, group, sizeof group);
        memcpy(frame + IP6_AT + 37, ip->bytes + 13, 3);
    }
    memcpy(frame + 6, lwip->hwaddr, 6);
    frame[12] = 0x86;
    frame[13] = 0xDD;
    frame[IP6_AT] = 0x60;
    frame[IP6_AT + 5] = (uint8_t)size;
    frame[IP6_AT + 6] = 58;
    frame[IP6_AT + 7] = 255;
    frame[ICMP_AT] = SOLICITATION;
    memcpy(frame + ICMP_AT + 8, ip->bytes, 16);
    if (from != NULL) {
        memcpy(frame + IP6_AT + 8, from->addr, 16);
        frame[ICMP_AT + MESSAGE_SIZE] = 1; /* source link-layer address, length 1 (unit: 8 bytes) */
        frame[ICMP_AT + MESSAGE_SIZE + 1] = 1;
        memcpy(frame + ICMP_AT + MESSAGE_SIZE + 2, lwip->hwaddr, 6);
    }
    put_checksum(frame, size);
    agpu_snp_queue(snp, ICMP_AT + size, false);
}

void agpu_ask(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip, const uint8_t *to)
{
    const ip_addr_t address = agpu_lwip_of_ip(ip);
    const ip_addr_t *own;

    if (agpu_ip_is_v4(ip)) {
        ask_by_arp(lwip, snp, ip, to, ip4_addr_get_u32(netif_ip4_addr(lwip)));
        return;
    }
    own = ip6_select_source_address(lwip, ip_2_ip6(&address));
    if (own != NULL) {
        solicit(lwip, snp, ip, to, ip_2_ip6(own));
    }
}

void agpu_ask_for_conflict(struct netif *lwip, struct agpu_snp *snp, const struct agpu_ip *ip)
{
    if (agpu_ip_is_v4(ip)) {
        ask_by_arp(lwip, snp, ip, NULL, 0);
    } else {
        solicit(lwip, snp, ip, NULL, NULL);
    }
}
