/* netif.c: frames between lwIP and the card. */
#include "efi/net/netif.h"

#include <string.h>

#include "lwip/etharp.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

/* lwIP hands a frame over to be sent. A full queue is lwIP's to deal with: it tries again, or the protocol
 * does. */
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
    agpu_snp_queue(&netif->snp, packet->tot_len);
    return ERR_OK;
}

static err_t send_packet(struct netif *lwip, struct pbuf *packet, const ip4_addr_t *to)
{
    struct agpu_netif *netif = lwip->state;

    if (netif->fixed_ip && netif->fixed_ip == ip4_addr_get_u32(to)) {
        const struct eth_addr *from = (const struct eth_addr *)lwip->hwaddr;

        return ethernet_output(lwip, packet, from, &netif->fixed_mac, ETHTYPE_IP);
    }
    return etharp_output(lwip, packet, to);
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
    lwip->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    lwip->output = send_packet;
    lwip->linkoutput = send_frame;
    return ERR_OK;
}

bool agpu_netif_add(struct agpu_netif *netif)
{
    if (netif_add_noaddr(&netif->lwip, netif, init_netif, ethernet_input) == NULL) {
        return false;
    }
    netif->media = agpu_snp_media(&netif->snp);
    netif_set_default(&netif->lwip);
    netif_set_up(&netif->lwip);
    return true;
}

static void receive_frame(void *ctx, const uint8_t *frame, size_t size)
{
    struct agpu_netif *netif = ctx;

    if (size > AGPU_SNP_FRAME_MAX) {
        return;
    }
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)size, PBUF_POOL);
    if (packet == NULL) {
        return;
    }
    if (pbuf_take(packet, frame, (u16_t)size) != ERR_OK ||
        netif->lwip.input(packet, &netif->lwip) != ERR_OK) {
        pbuf_free(packet);
    }
}

/* A cable that comes in, or a link whose negotiation ends, makes DHCP ask at once instead of at its next
 * retry. A card that denies its link is used all the same: some drivers never learn of it. */
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
    sys_check_timeouts();
    see_media(netif);
}
