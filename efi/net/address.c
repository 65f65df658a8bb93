/* address.c: own addresses of both families. */
#include "efi/net/address.h"

#include "efi/clock.h"
#include "efi/net/ask.h"
#include "lwip/dhcp.h"
#include "lwip/ip6.h"
#include "lwip/nd6.h"

#define PROBES          3
#define PROBE_EVERY_NS  (1000 * AGPU_NS_PER_MS)
#define LINK_LOCAL      0  /* index that lwIP reserves for it */
#define NETCONSOLE_BITS 24 /* netconsole has no prefix length; it is made for a local network */

static void set_v4(struct netif *lwip, const struct agpu_ip *ip, unsigned bits, const struct agpu_ip *gateway)
{
    const ip4_addr_t address = {lwip_htonl(agpu_ip_v4(ip))};
    const ip4_addr_t mask = {lwip_htonl(UINT32_MAX << (32 - bits))};
    const ip4_addr_t router = {agpu_ip_is_v4(gateway) ? lwip_htonl(agpu_ip_v4(gateway)) : 0};

    netif_set_addr(lwip, &address, &mask, &router);
}

bool agpu_address_start_v4(struct netif *lwip, const struct agpu_config *config)
{
    const struct agpu_ip none = {{0}};

    if (config->ip_source == AGPU_IP_STATIC && agpu_ip_is_v4(&config->ip)) {
        set_v4(lwip, &config->ip, config->ip_bits, &config->gateway);
    } else if (agpu_ip_is_v4(&config->netconsole.source_ip)) {
        set_v4(lwip, &config->netconsole.source_ip, NETCONSOLE_BITS, &none);
    } else {
        return dhcp_start(lwip) == ERR_OK;
    }
    return true;
}

static void add_v6(struct netif *lwip, const struct agpu_ip *ip)
{
    const ip_addr_t address = agpu_lwip_of_ip(ip);
    s8_t place;

    if (netif_add_ip6_address(lwip, ip_2_ip6(&address), &place) == ERR_OK) {
        netif_ip6_addr_set_valid_life(lwip, place, IP6_ADDR_LIFE_STATIC);
    }
}

void agpu_address_start_v6(struct netif *lwip, const struct agpu_config *config)
{
    const bool given = config->ip_source == AGPU_IP_STATIC && agpu_ip_is_v6(&config->ip);
    const struct agpu_ip *ip = given ? &config->ip : &config->netconsole.source_ip;

    netif_create_ip6_linklocal_address(lwip, 1);
    netif_set_ip6_autoconfig_enabled(lwip, !agpu_ip_is_v6(ip));
    nd6_tmr(); /* solicits routers now instead of in a second */
    netif_ip6_addr_set_state(lwip, LINK_LOCAL, IP6_ADDR_TENTATIVE); /* agpu_address_poll() probes it */
    if (agpu_ip_is_v6(ip)) {
        add_v6(lwip, ip);
    }
}

static void probe_v4(struct netif *lwip, struct agpu_snp *snp, struct agpu_address_probe *probe)
{
    const struct agpu_ip ip = agpu_ip_of_lwip4(netif_ip4_addr(lwip));
    const uint64_t now = agpu_clock_ns(NULL);

    if (!agpu_ip_same(&ip, &probe->ip)) {
        *probe = (struct agpu_address_probe){.ip = ip, .left = PROBES, .next_ns = now};
    }
    if (!agpu_ip_is_none(&ip) && probe->left != 0 && now >= probe->next_ns) {
        probe->left--;
        probe->next_ns = now + PROBE_EVERY_NS;
        agpu_ask_for_conflict(lwip, snp, &ip);
    }
}

/* Uses an address while it is being probed for duplicates (RFC 4429): waiting would delay the first record by
 * a second on every boot. */
void agpu_address_poll(struct netif *lwip, struct agpu_snp *snp, struct agpu_address_probe *probe)
{
    probe_v4(lwip, snp, probe);
    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++) {
        if (ip6_addr_istentative(netif_ip6_addr_state(lwip, i))) {
            const struct agpu_ip ip = agpu_ip_of_lwip6(netif_ip6_addr(lwip, i));

            agpu_ask_for_conflict(lwip, snp, &ip);
            netif_ip6_addr_set_state(lwip, i, IP6_ADDR_PREFERRED);
        }
    }
}

struct agpu_ip agpu_address_for(struct netif *lwip, const struct agpu_ip *to)
{
    const bool local = agpu_ip_is_link_local(to) || (agpu_ip_is_group(to) && (to->bytes[1] & 15) <= 2);

    if (agpu_ip_is_v4(to)) {
        return agpu_ip_of_lwip4(netif_ip4_addr(lwip));
    }
    for (s8_t i = local ? LINK_LOCAL : LINK_LOCAL + 1; i < LWIP_IPV6_NUM_ADDRESSES && agpu_ip_is_v6(to);
         i++) {
        if (ip6_addr_isvalid(netif_ip6_addr_state(lwip, i))) {
            const ip_addr_t address = agpu_lwip_of_ip(to);
            const ip_addr_t *from = ip6_select_source_address(lwip, ip_2_ip6(&address));

            return from != NULL ? agpu_ip_of_lwip6(ip_2_ip6(from)) : (struct agpu_ip){{0}};
        }
    }
    return (struct agpu_ip){{0}};
}

bool agpu_address_is_own(struct netif *lwip, const struct agpu_ip *ip)
{
    if (agpu_ip_is_v4(ip)) {
        return ip4_addr_get_u32(netif_ip4_addr(lwip)) == lwip_htonl(agpu_ip_v4(ip));
    }
    for (s8_t i = 0; i < LWIP_IPV6_NUM_ADDRESSES; i++) {
        const struct agpu_ip own = agpu_ip_of_lwip6(netif_ip6_addr(lwip, i));

        if (!ip6_addr_isinvalid(netif_ip6_addr_state(lwip, i)) && agpu_ip_same(&own, ip)) {
            return true;
        }
    }
    return false;
}
