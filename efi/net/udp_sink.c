/* udp_sink.c: one packet, one datagram. */
#include "efi/net/udp_sink.h"

#include <string.h>

#include "efi/heap.h"
#include "efi/net/seal.h"
#include "efi/queue.h"
#include "lwip/udp.h"

/* Holds what a run of a few thousand cases says before the first address comes. */
#define QUEUE_SIZE (1024 * 1024)
/* Bytes kept free in each packet for "r"'s release and its comma, and for whose it is. */
#define RELEASE_MAX 40
#define PACKET_MAX  (AGPU_STREAM_PACKET_MAX - RELEASE_MAX - AGPU_SEAL_SIZE_MAX)
/* Frames left to ARP and DHCP. */
#define FRAMES_KEPT 4

static struct agpu_queue queue;
static bool closed;
static struct agpu_netconsole target;
static char release[RELEASE_MAX];
static struct udp_pcb *pcb;
static const struct agpu_snp *card;
static uint64_t failed; /* datagrams that lwIP would not send */

static void udp_sink_packet(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (!closed) {
        agpu_queue_put(&queue, packet, length);
    }
}

/* Packets, and frames of the card's, most of which carry one. */
static uint64_t lost_packets(void *ctx)
{
    (void)ctx;
    return agpu_udp_sink_dropped() +
           (card != NULL ? card->counters.send_errors + card->counters.send_lost : 0);
}

void agpu_udp_sink_add(struct agpu_stream *stream)
{
    void *storage = agpu_heap_alloc(NULL, QUEUE_SIZE);

    if (storage == NULL) {
        return;
    }
    agpu_queue_init(&queue, storage, QUEUE_SIZE);
    agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "udp",
                                                     .max_packet = PACKET_MAX,
                                                     .packet = udp_sink_packet,
                                                     .lost = lost_packets});
}

bool agpu_udp_sink_open(const struct agpu_netconsole *to, const char *build)
{
    struct agpu_text text;

    closed = false;
    agpu_text_begin(&text, release, sizeof release);
    agpu_text_string(&text, build);
    pcb = udp_new();
    return pcb != NULL && agpu_udp_sink_aim(to);
}

bool agpu_udp_sink_aim(const struct agpu_netconsole *to)
{
    if (udp_bind(pcb, IP_ADDR_ANY, to->source_port) != ERR_OK) {
        return false;
    }
    target = *to;
    return true;
}

/* The oldest queued packet as netconsole sends it: with the header, with the release before it, or bare. */
static struct pbuf *next_datagram(void)
{
    static char queued[PACKET_MAX];
    static char datagram[RELEASE_MAX + PACKET_MAX + AGPU_SEAL_SIZE_MAX];
    size_t size = agpu_queue_size(&queue), lead = 0;

    size = size < sizeof queued ? size : sizeof queued;
    agpu_queue_peek(&queue, 0, queued, size);
    if (!target.extended) {
        const char *semicolon = memchr(queued, ';', size);
        const size_t skip = semicolon != NULL ? (size_t)(semicolon - queued) + 1 : 0;

        size -= skip;
        memcpy(datagram, queued + skip, size);
    } else {
        if (target.release) {
            lead = strlen(release) + 1;
            memcpy(datagram, release, lead - 1);
            datagram[lead - 1] = ',';
        }
        size = lead + agpu_seal_packet(queued, size, datagram + lead);
    }
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)size, PBUF_RAM);
    if (packet != NULL) {
        memcpy(packet->payload, datagram, size);
    }
    return packet;
}

void agpu_udp_sink_poll(struct agpu_netif *netif)
{
    card = &netif->snp;
    while (pcb != NULL && !agpu_udp_sink_empty() && agpu_snp_room(&netif->snp) > FRAMES_KEPT &&
           agpu_netif_reaches(netif, lwip_htonl(target.target_ip))) {
        struct pbuf *packet = next_datagram();

        if (packet == NULL) {
            return;
        }
        ip_addr_t to = IPADDR4_INIT(lwip_htonl(target.target_ip));
        err_t error = udp_sendto_if(pcb, packet, &to, target.target_port, &netif->lwip);
        pbuf_free(packet);
        if (error == ERR_MEM || error == ERR_WOULDBLOCK) {
            return;
        }
        failed += error != ERR_OK;
        agpu_queue_pop(&queue);
    }
}

void agpu_udp_sink_close(void)
{
    closed = true;
    while (!agpu_udp_sink_empty()) {
        agpu_queue_pop(&queue);
    }
    if (pcb != NULL) {
        udp_remove(pcb);
    }
    pcb = NULL;
}

bool agpu_udp_sink_empty(void)
{
    return !agpu_queue_size(&queue);
}

uint64_t agpu_udp_sink_waiting(void)
{
    return queue.count;
}

uint64_t agpu_udp_sink_dropped(void)
{
    return queue.dropped + failed;
}
