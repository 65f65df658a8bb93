/* link_report.c: reports the carrier, and an invalid lease. */
#include "efi/net/link_report.h"

#include "efi/net/address.h"
#include "lwip/dhcp.h"

/* Limits the reports of a cable that comes and goes for minutes. */
#define CARRIER_REPORTS_MAX 8u

static struct agpu_stream *records;
static bool carrier; /* at the last check */
static unsigned carrier_reports;
static ip4_addr_t lease_checked; /* address of the last lease that was checked */

void agpu_link_report_begin(struct agpu_stream *stream)
{
    records = stream;
    carrier = true;
    carrier_reports = 0;
    ip4_addr_set_zero(&lease_checked);
}

static void report_carrier(const struct agpu_netif *netif)
{
    const bool now = agpu_snp_media(&netif->snp);
    char buffer[240];
    struct agpu_text text;

    if (now == carrier || carrier_reports == CARRIER_REPORTS_MAX) {
        return;
    }
    carrier = now;
    carrier_reports++;
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, now ? "network: carrier again on " : "network: no carrier on ");
    agpu_text_mac(&text, netif->snp.card.mac);
    if (!now) {
        agpu_text_string(&text, ": check the cable and the other end. The other sinks have all records; lost "
                                "records are only sent again with stream=on");
    }
    agpu_stream_log(records, now ? AGPU_LOG_INFO : AGPU_LOG_WARNING, buffer);
}

static void report_lease(const char *what, const ip4_addr_t *address, const char *advice)
{
    char numbers[16];

    agpu_stream_format(records, AGPU_LOG_WARNING, "network: DHCP %s %s%s", what,
                       ip4addr_ntoa_r(address, numbers, sizeof numbers), advice);
}

/* Warns of addresses that no machine can have, and gateways that cannot be reached. */
static void judge_lease(const struct agpu_netif *netif)
{
    const ip4_addr_t *own = netif_ip4_addr(&netif->lwip), *mask = netif_ip4_netmask(&netif->lwip),
                     *gateway = netif_ip4_gw(&netif->lwip);

    if (netif_dhcp_data(&netif->lwip) == NULL || ip4_addr_isany(own) || ip4_addr_cmp(own, &lease_checked)) {
        return;
    }
    lease_checked = *own;
    if (ip4_addr_ismulticast(own) || ip4_addr_isloopback(own) || own->addr == PP_HTONL(IPADDR_BROADCAST) ||
        ip4_addr1(own) == 0) {
        report_lease("offers the address", own,
                     ", which is not a valid host address: records will probably not arrive; check the DHCP "
                     "server, or set ip=");
    } else if (!ip4_addr_netmask_valid(mask->addr)) {
        report_lease("offers the netmask", mask,
                     ", which is not a valid netmask: check the DHCP server, or set ip=");
    } else if (!ip4_addr_isany(gateway) && !ip4_addr_netcmp(gateway, own, mask)) {
        report_lease("names the gateway", gateway,
                     ", which is not in this machine's network: nothing beyond this network can be reached");
    }
}

void agpu_link_report_poll(const struct agpu_netif *netif)
{
    report_carrier(netif);
    judge_lease(netif);
}
