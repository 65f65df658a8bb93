/* netif.c: frames between lwIP and the card. */
#include "efi/net/netif.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/net/address.h"
#include "efi/net/ask.h"

#include "lwip/etharp.h"
#include "lwip/ethip6.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

/* Rate limit of replies (ARP, ICMP); enough for interactive use. */
#define REPLIES_BURST    20u
#define REPLY_EVERY_NS   (50 * AGPU_NS_PER_MS)
#define REPLIES_WAITING  2u /* in the card's queue at once */
#define TCP_RESET        4u
#define DHCP_SERVER_PORT 67u

static unsigned read16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

/* DHCP answers an offer at once; no other machine can trigger this at will. */
static bool is_dhcp(const uint8_t *frame, size_t size)
{
    const size_t header = size > 14 ? (frame[14] & 15u) * 4u : 0;

    return size >= 14 + header + 8 && read16(frame + 12) == ETHTYPE_IP && frame[23] == 17 &&
           read16(frame + 14 + header + 2) == DHCP_SERVER_PORT;
}

/* True for a TCP segment of a connection. It is not sent while a frame is processed, but with the next poll,
 * only once however many frames asked for it. A reset belongs to no connection, and is limited like other
 * replies. */
static bool is_segment(const uint8_t *frame, size_t size)
{
    if (size >= 14 + 40 + 20 && read16(frame + 12) == ETHTYPE_IPV6) {
        return frame[20] == 6 && !(frame[14 + 40 + 13] & TCP_RESET);
    }
    return size >= 14 + 20 + 20 && read16(frame + 12) == ETHTYPE_IP && frame[23] == 6 &&
           !(frame[14 + 20 + 13] & TCP_RESET);
}

static bool has_address(struct agpu_netif *netif)
{
    return !ip4_addr_isany_val(*netif_ip4_addr(&netif->lwip));
}

/* Passes on the DHCP packet that assigned the address. lwIP has accepted it, and so has checked its
 * lengths. */
static void pass_lease(struct agpu_netif *netif, const uint8_t *frame, size_t size)
{
    const size_t udp = 14 + (frame[14] & 15u) * 4u;
    const size_t length = size > udp + 8 ? read16(frame + udp + 4) : 0;

    if (netif->leased != NULL && length >= 8 && length <= size - udp) {
        netif->leased(frame + udp + 8, length - 8);
    }
}

/* Takes one reply from the rate limit. */
static bool take_reply(struct agpu_netif *netif)
{
    const uint64_t now = agpu_clock_ns(NULL);
    const uint64_t more = (now - netif->replies_ns) / REPLY_EVERY_NS;

    if (more) {
        netif->replies_left =
            more < REPLIES_BURST - netif->replies_left ? netif->replies_left + (unsigned)more : REPLIES_BURST;
        netif->replies_ns = now;
    }
    if (!netif->replies_left || agpu_snp_replies(&netif->snp) >= REPLIES_WAITING) {
        netif->replies_withheld++;
        return false;
    }
    netif->replies_left--;
    return true;
}

/* lwIP sends a frame. When the queue is full, lwIP or the protocol retries. */
static err_t send_frame(struct netif *lwip, struct pbuf *packet)
{
    struct agpu_netif *netif = lwip->state;

    if (packet->tot_len > AGPU_SNP_FRAME_MAX) {
        return ERR_BUF;
    }
    uint8_t *frame = agpu_snp_frame(&netif->snp);
    if (frame == NULL) {
        return ERR_WOULDBLOCK;
    }
    pbuf_copy_partial(packet, frame, packet->tot_len, 0);
    if (netif->in_input && is_segment(frame, packet->tot_len)) {
        return ERR_WOULDBLOCK;
    }
    const bool reply = netif->in_input && !is_dhcp(frame, packet->tot_len);
    if (reply && !take_reply(netif)) {
        return ERR_BUF;
    }
    agpu_snp_queue(&netif->snp, packet->tot_len, reply);
    return ERR_OK;
}

static err_t send_to(struct netif *lwip, struct pbuf *packet, const uint8_t *mac, u16_t type)
{
    return ethernet_output(lwip, packet, (const struct eth_addr *)lwip->hwaddr, (const struct eth_addr *)mac,
                           type);
}

static err_t send_packet(struct netif *lwip, struct pbuf *packet, const ip4_addr_t *to)
{
    const struct agpu_netif *netif = lwip->state;
    const struct agpu_ip ip = agpu_ip_of_lwip4(to);
    const uint8_t *mac = agpu_way_mac(&netif->ways, &ip);

    return mac != NULL ? send_to(lwip, packet, mac, ETHTYPE_IP) : etharp_output(lwip, packet, to);
}

static err_t send_packet_v6(struct netif *lwip, struct pbuf *packet, const ip6_addr_t *to)
{
    const struct agpu_netif *netif = lwip->state;
    const struct agpu_ip ip = agpu_ip_of_lwip6(to);
    const uint8_t *mac = agpu_way_mac(&netif->ways, &ip);

    return mac != NULL ? send_to(lwip, packet, mac, ETHTYPE_IPV6) : ethip6_output(lwip, packet, to);
}

static err_t init_netif(struct netif *lwip)
{
    struct agpu_netif *netif = lwip->state;

    lwip->name[0] = 'e';
    lwip->name[1] = 'n';
    lwip->hostname = "agpu";
    lwip->mtu = 1500;
    lwip->hwaddr_len = ETH_HWADDR_LEN;
    memcpy(lwip->hwaddr, netif->snp.card.mac, ETH_HWADDR_LEN);
    lwip->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP | NETIF_FLAG_MLD6;
    lwip->output = send_packet;
    lwip->output_ip6 = send_packet_v6;
    lwip->linkoutput = send_frame;
    return ERR_OK;
}

bool agpu_netif_add(struct agpu_netif *netif)
{
    if (netif_add_noaddr(&netif->lwip, netif, init_netif, ethernet_input) == NULL) {
        return false;
    }
    netif->ways.lwip = &netif->lwip;
    netif->ways.snp = &netif->snp;
    netif->media = agpu_snp_media(&netif->snp);
    netif->replies_left = REPLIES_BURST;
    netif->replies_ns = agpu_clock_ns(NULL);
    netif_set_default(&netif->lwip);
    netif_set_up(&netif->lwip);
    return true;
}

void agpu_netif_remove(struct agpu_netif *netif)
{
    netif_remove(&netif->lwip);
}

static void receive_frame(void *ctx, const uint8_t *frame, size_t size)
{
    struct agpu_netif *netif = ctx;

    if (size > AGPU_SNP_FRAME_MAX || size < 14) {
        return;
    }
    /* The card may be promiscuous: drops frames that are neither for this machine nor multicast. */
    if (!(frame[0] & 1) && memcmp(frame, netif->lwip.hwaddr, 6)) {
        return;
    }
    if (read16(frame + 12) == ETHTYPE_IPV6 && !netif->hears_v6) {
        return;
    }
    agpu_way_see(&netif->ways, frame, size);
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)size, PBUF_POOL);
    if (packet == NULL) {
        return;
    }
    const bool had_address = has_address(netif);
    netif->in_input = true;
    if (pbuf_take(packet, frame, (u16_t)size) != ERR_OK ||
        netif->lwip.input(packet, &netif->lwip) != ERR_OK) {
        pbuf_free(packet);
    }
    netif->in_input = false;
    if (!had_address && has_address(netif)) {
        pass_lease(netif, frame, size);
    }
}

/* When a cable is plugged in or link negotiation ends, makes DHCP send a request at once instead of at its
 * next retry. A card that reports no link is used all the same: some drivers never detect it. */
static void see_media(struct agpu_netif *netif)
{
    bool media = agpu_snp_media(&netif->snp);

    if (media && !netif->media) {
        netif_set_link_down(&netif->lwip);
        netif_set_link_up(&netif->lwip);
    }
    netif->media = media;
}

void agpu_netif_poll(struct agpu_netif *netif)
{
    agpu_snp_poll(&netif->snp, receive_frame, netif);
    /* Must precede lwIP's own timer, which takes new addresses into use. */
    agpu_address_poll(&netif->lwip, &netif->snp, &netif->probe);
    sys_check_timeouts();
    see_media(netif);
}
