/* udp_sink.c: sends each packet as one datagram to each target. */
#include "efi/net/udp_sink.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/heap.h"
#include "efi/net/ask.h"
#include "efi/net/seal.h"
#include "efi/queue.h"
#include "lwip/udp.h"

/* Holds the records of a few thousand cases until the first address is known. */
#define QUEUE_SIZE (1024 * 1024)
/* Bytes reserved in each packet for "r"'s release and its comma, and for the sender's identity. */
#define RELEASE_MAX 40
#define PACKET_MAX  (AGPU_STREAM_PACKET_MAX - RELEASE_MAX - AGPU_SEAL_SIZE_MAX)
/* Frame buffers reserved for ARP and DHCP. */
#define FRAMES_KEPT 4
/* A card reports a frame as sent when it has accepted it; a machine that powers off at once loses frames in
 * flight. */
#define SETTLE_NS (100 * AGPU_NS_PER_MS)

_Static_assert(AGPU_TARGETS_MAX <= AGPU_WAYS_MAX, "each target has a way");

static struct destination {
    struct agpu_queue queue; /* without storage: unused */
    struct agpu_ip ip;
    uint16_t port;
    uint64_t failed; /* datagrams refused by lwIP */
} destinations[AGPU_TARGETS_MAX];

static bool closed;
static uint64_t sent_ns; /* time of the last datagram given to the card */
static struct agpu_netconsole format;
static char release[RELEASE_MAX];
static struct udp_pcb *pcb;
static const struct agpu_snp *card;

static void udp_sink_packet(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    for (unsigned i = 0; i < AGPU_TARGETS_MAX && !closed; i++) {
        if (destinations[i].queue.bytes != NULL) {
            agpu_queue_put(&destinations[i].queue, packet, length);
        }
    }
}

/* Lost packets, and lost frames of the card, most of which carry one. */
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
    agpu_queue_init(&destinations[0].queue, storage, QUEUE_SIZE);
    agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "udp",
                                                     .max_packet = PACKET_MAX,
                                                     .packet = udp_sink_packet,
                                                     .lost = lost_packets});
}

bool agpu_udp_sink_open(const struct agpu_netconsole *to, const char *build)
{
    closed = false;
    agpu_format_line(release, sizeof release, "%s", build);
    pcb = udp_new_ip_type(IPADDR_TYPE_ANY);
    if (pcb == NULL) {
        return false;
    }
    return agpu_udp_sink_format(to);
}

bool agpu_udp_sink_format(const struct agpu_netconsole *to)
{
    if (udp_bind(pcb, IP_ANY_TYPE, to->source_port) != ERR_OK) {
        return false;
    }
    format = *to;
    return true;
}

/* Creates a queue with the contents of the first one. */
static bool begin_queue(struct destination *d)
{
    const struct agpu_queue *first = &destinations[0].queue;
    uint8_t *storage = first->bytes != NULL ? agpu_heap_alloc(NULL, first->capacity) : NULL;

    if (storage == NULL) {
        return false;
    }
    memcpy(storage, first->bytes, first->capacity);
    d->queue = *first;
    d->queue.bytes = storage;
    d->failed = 0;
    return true;
}

bool agpu_udp_sink_aim(unsigned number, const struct agpu_target *target)
{
    struct destination *d = &destinations[number];

    if (d->queue.bytes == NULL && (number == 0 || !begin_queue(d))) {
        return number == 0; /* without memory the first has no queue either, which is not an error */
    }
    d->ip = target->ip;
    d->port = target->port;
    return true;
}

/* Makes a datagram in netconsole's format: with the header, with the release in front of it, or bare. */
static struct pbuf *make_datagram(const char *kept, size_t size)
{
    static char datagram[RELEASE_MAX + PACKET_MAX + AGPU_SEAL_SIZE_MAX];
    size_t lead = 0;

    if (!format.extended) {
        const char *semicolon = memchr(kept, ';', size);
        const size_t skip = semicolon != NULL ? (size_t)(semicolon - kept) + 1 : 0;

        size -= skip;
        memcpy(datagram, kept + skip, size);
    } else {
        if (format.release) {
            lead = strlen(release) + 1;
            memcpy(datagram, release, lead - 1);
            datagram[lead - 1] = ',';
        }
        size = lead + agpu_seal_packet(kept, size, datagram + lead);
    }
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)size, PBUF_RAM);
    if (packet != NULL) {
        memcpy(packet->payload, datagram, size);
    }
    return packet;
}

/* Sends to one target. False when that is not possible now. */
static bool send_packet(struct agpu_netif *netif, struct destination *d, const char *kept, size_t size)
{
    const ip_addr_t to = agpu_lwip_of_ip(&d->ip);
    struct pbuf *packet = make_datagram(kept, size);
    err_t error;

    if (packet == NULL) {
        return false;
    }
    error = udp_sendto_if(pcb, packet, &to, d->port, &netif->lwip);
    pbuf_free(packet);
    if (error == ERR_MEM || error == ERR_WOULDBLOCK) {
        return false;
    }
    d->failed += error != ERR_OK;
    return true;
}

/* Sends the oldest packet of a target. False when none can be sent now. */
static bool send_next(struct agpu_netif *netif, unsigned number)
{
    static char queued[PACKET_MAX];
    struct destination *d = &destinations[number];
    size_t size = agpu_queue_size(&d->queue);

    if (pcb == NULL || size == 0 || agpu_snp_room(&netif->snp) <= FRAMES_KEPT ||
        !agpu_way_reaches(&netif->ways, number)) {
        return false;
    }
    size = size < sizeof queued ? size : sizeof queued;
    agpu_queue_peek(&d->queue, 0, queued, size);
    if (!send_packet(netif, d, queued, size)) {
        return false;
    }
    agpu_queue_pop(&d->queue);
    sent_ns = agpu_clock_ns(NULL);
    return true;
}

/* Alternates between the targets, so that none waits for another. */
void agpu_udp_sink_poll(struct agpu_netif *netif)
{
    bool any = true;

    card = &netif->snp;
    while (any) {
        any = false;
        for (unsigned i = 0; i < AGPU_TARGETS_MAX; i++) {
            any = send_next(netif, i) || any;
        }
    }
}

bool agpu_udp_sink_settled(void)
{
    return agpu_udp_sink_empty() && agpu_clock_ns(NULL) - sent_ns > SETTLE_NS;
}

void agpu_udp_sink_close(void)
{
    closed = true;
    for (unsigned i = 0; i < AGPU_TARGETS_MAX; i++) {
        struct destination *d = &destinations[i];

        while (agpu_queue_size(&d->queue)) {
            agpu_queue_pop(&d->queue);
        }
        if (i != 0) {
            agpu_heap_free(NULL, d->queue.bytes);
            *d = (struct destination){.ip = {{0}}};
        }
    }
    if (pcb != NULL) {
        udp_remove(pcb);
    }
    pcb = NULL;
}

bool agpu_udp_sink_empty(void)
{
    return !agpu_udp_sink_waiting();
}

uint64_t agpu_udp_sink_waiting_for(unsigned number)
{
    return destinations[number].queue.count;
}

uint64_t agpu_udp_sink_waiting(void)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < AGPU_TARGETS_MAX; i++) {
        count += destinations[i].queue.count;
    }
    return count;
}

uint64_t agpu_udp_sink_dropped_for(unsigned number)
{
    return destinations[number].queue.dropped + destinations[number].failed;
}

uint64_t agpu_udp_sink_dropped(void)
{
    return agpu_udp_sink_dropped_for(0);
}
