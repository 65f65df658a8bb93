/* way.c: next hops of both families. */
#include "efi/net/way.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/net/address.h"
#include "efi/net/ask.h"
#include "lwip/nd6.h"
#include "lwip/priv/nd6_priv.h"

#define ARP_SIZE      42u
#define ADVERT_AT     54u /* after the headers of Ethernet and IPv6 */
#define ADVERT_SIZE   24u
#define ADVERTISEMENT 136u
#define SOLICITED     0x40u

void agpu_way_aim(struct agpu_ways *ways, unsigned way, const struct agpu_ip *to, const uint8_t mac[6])
{
    struct agpu_way *w = &ways->way[way];

    w->to = *to;
    w->fixed = mac != NULL;
    if (mac != NULL) {
        memcpy(w->fixed_mac, mac, sizeof w->fixed_mac);
    }
}

static bool needs_no_neighbour(const struct agpu_ways *ways, const struct agpu_ip *ip)
{
    const ip_addr_t to = agpu_lwip_of_ip(ip);

    return agpu_ip_is_group(ip) || (agpu_ip_is_v4(ip) && ip4_addr_isbroadcast(ip_2_ip4(&to), ways->lwip));
}

/* True when a router announces the destination's prefix as on-link. */
static bool is_announced(const struct agpu_ways *ways, const ip6_addr_t *to)
{
    for (unsigned i = 0; i < LWIP_ND6_NUM_PREFIXES; i++) {
        if (prefix_list[i].netif == ways->lwip && prefix_list[i].invalidation_timer > 0 &&
            ip6_addr_net_eq(to, &prefix_list[i].prefix)) {
            return true;
        }
    }
    return false;
}

static struct agpu_ip router_v6(const struct agpu_ways *ways)
{
    for (unsigned i = 0; i < LWIP_ND6_NUM_ROUTERS && agpu_ip_is_none(&ways->gateway); i++) {
        const struct nd6_neighbor_cache_entry *entry = default_router_list[i].neighbor_entry;

        if (entry != NULL && entry->netif == ways->lwip) {
            return agpu_ip_of_lwip6(&entry->next_hop_address);
        }
    }
    return ways->gateway;
}

/* Returns the next hop to ip, whose MAC a packet needs; all zero when there is no route. */
static struct agpu_ip next_hop_to(const struct agpu_ways *ways, const struct agpu_ip *ip)
{
    const ip_addr_t to = agpu_lwip_of_ip(ip);

    if (agpu_ip_is_v4(ip)) {
        return ip4_addr_netcmp(ip_2_ip4(&to), netif_ip4_addr(ways->lwip), netif_ip4_netmask(ways->lwip))
                   ? *ip
                   : agpu_ip_of_lwip4(netif_ip4_gw(ways->lwip));
    }
    return agpu_ip_is_link_local(ip) ||
                   (ways->prefix_bits != 0 && agpu_ip_agree(ip, &ways->prefix, ways->prefix_bits)) ||
                   is_announced(ways, ip_2_ip6(&to))
               ? *ip
               : router_v6(ways);
}

bool agpu_way_reaches(struct agpu_ways *ways, unsigned way)
{
    struct agpu_way *w = &ways->way[way];
    const struct agpu_ip from = agpu_address_for(ways->lwip, &w->to);

    if (agpu_ip_is_none(&w->to) || agpu_ip_is_none(&from)) {
        return false;
    }
    if (w->fixed || needs_no_neighbour(ways, &w->to)) {
        return true;
    }
    const struct agpu_ip hop = next_hop_to(ways, &w->to);
    agpu_neighbour_want(&w->neighbour, &hop);
    switch (agpu_neighbour_poll(&w->neighbour, agpu_clock_ns(NULL))) {
    case AGPU_NEIGHBOUR_ASK_ALL:
        agpu_ask(ways->lwip, ways->snp, &hop, NULL);
        break;
    case AGPU_NEIGHBOUR_ASK_IT:
        agpu_ask(ways->lwip, ways->snp, &hop, w->neighbour.mac);
        break;
    case AGPU_NEIGHBOUR_WAIT:
        break;
    }
    return w->neighbour.known;
}

const uint8_t *agpu_way_mac(const struct agpu_ways *ways, const struct agpu_ip *to)
{
    struct agpu_ip hop;

    for (unsigned i = 0; i < AGPU_WAYS_MAX; i++) {
        if (ways->way[i].fixed && agpu_ip_same(&ways->way[i].to, to)) {
            return ways->way[i].fixed_mac;
        }
    }
    if (agpu_ip_is_none(to) || needs_no_neighbour(ways, to)) {
        return NULL;
    }
    hop = next_hop_to(ways, to);
    for (unsigned i = 0; i < AGPU_WAYS_MAX; i++) {
        if (ways->way[i].neighbour.known && agpu_ip_same(&ways->way[i].neighbour.ip, &hop)) {
            return ways->way[i].neighbour.mac;
        }
    }
    return NULL;
}

/* A machine claims this address. */
static void take_claim(struct agpu_ways *ways, const struct agpu_ip *ip, const uint8_t mac[6], bool answer)
{
    const uint64_t now = agpu_clock_ns(NULL);

    if (memcmp(mac, ways->lwip->hwaddr, 6) && agpu_address_is_own(ways->lwip, ip)) {
        ways->conflicts++;
        ways->conflict_ip = *ip;
        memcpy(ways->conflict_mac, mac, sizeof ways->conflict_mac);
    }
    for (unsigned i = 0; i < AGPU_WAYS_MAX; i++) {
        agpu_neighbour_claim(&ways->way[i].neighbour, ip, mac, answer, now);
    }
}

/* An advertisement names its MAC in option 2 (RFC 4861 4.6.1), or is sent from it. Routers do not forward it:
 * a hop limit of 255 proves that none did. */
static void see_advertisement(struct agpu_ways *ways, const uint8_t *frame, size_t size)
{
    const uint8_t *message = frame + ADVERT_AT, *mac = frame + 6;
    const bool answer = (message[4] & SOLICITED) && !memcmp(frame, ways->lwip->hwaddr, 6);
    struct agpu_ip ip;

    if (size >= ADVERT_AT + ADVERT_SIZE + 8 && message[ADVERT_SIZE] == 2 && message[ADVERT_SIZE + 1] == 1) {
        mac = message + ADVERT_SIZE + 2;
    }
    memcpy(ip.bytes, message + 8, sizeof ip.bytes);
    take_claim(ways, &ip, mac, answer);
}

void agpu_way_see(struct agpu_ways *ways, const uint8_t *frame, size_t size)
{
    static const uint8_t arp[] = {0x08, 0x06, 0, 1, 0x08, 0x00, 6, 4, 0};
    const bool v6 = size >= ADVERT_AT + ADVERT_SIZE && frame[12] == 0x86 && frame[13] == 0xDD;

    if (size >= ARP_SIZE && !memcmp(frame + 12, arp, sizeof arp)) {
        const struct agpu_ip ip = agpu_ip_of_v4((uint32_t)frame[28] << 24 | (uint32_t)frame[29] << 16 |
                                                (uint32_t)frame[30] << 8 | frame[31]);

        take_claim(ways, &ip, frame + 22, frame[21] == 2 && !memcmp(frame + 32, ways->lwip->hwaddr, 6));
    } else if (v6 && frame[20] == 58 && frame[21] == 255 && frame[ADVERT_AT] == ADVERTISEMENT) {
        see_advertisement(ways, frame, size);
    } else {
        for (unsigned i = 0; i < AGPU_WAYS_MAX; i++) {
            agpu_neighbour_heard(&ways->way[i].neighbour, frame + 6, agpu_clock_ns(NULL));
        }
    }
}
