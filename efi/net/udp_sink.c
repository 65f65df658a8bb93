/* udp_sink.c: one packet, one datagram for each target. */
#include "efi/net/udp_sink.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/heap.h"
#include "efi/net/ask.h"
#include "efi/net/resend.h"
#include "efi/net/seal.h"
#include "efi/queue.h"
#include "lwip/udp.h"

/* Holds what a run of a few thousand cases says before the first address comes. */
#define QUEUE_SIZE (1024 * 1024)
/* Bytes kept free in each packet for "r"'s release and its comma, and for whose it is. */
#define RELEASE_MAX 40
#define PACKET_MAX  (AGPU_STREAM_PACKET_MAX - RELEASE_MAX - AGPU_SEAL_SIZE_MAX)
#define REQUEST_MAX 1500
/* So long behind the last datagram somebody may still ask for one: a collector does when the next ones came, or did not come. */
#define LINGER_NS (400 * AGPU_NS_PER_MS)
#define LINGER_ASKED_NS                                                                                      \
    (4 * AGPU_NS_PER_S) /* who asks will say that it has all, and that may get lost ten times */
/* Frames left to ARP and DHCP. */
#define FRAMES_KEPT 4

/* Who lost the last packets learns that there were some by the next one. Where none comes for so long, by the newest again. */
#define REMIND_NS         (150 * AGPU_NS_PER_MS)
#define REMIND_MOST       2
#define REMIND_ASKED_MOST (LINGER_ASKED_NS / REMIND_NS) /* who asks */

_Static_assert(AGPU_TARGETS_MAX <= AGPU_WAYS_MAX, "each target has a way");
_Static_assert(AGPU_TARGETS_MAX <= AGPU_RESEND_PEERS, "each target may ask");

static struct destination {
    struct agpu_queue queue; /* without storage: not in use */
    struct agpu_ip ip;
    uint16_t port;
    uint64_t failed; /* datagrams that lwIP would not send */
} destinations[AGPU_TARGETS_MAX];

static bool closed;
static struct agpu_resend resend;
static uint64_t refused;  /* requests that were not those of a target */
static uint64_t moved_ns; /* when something was last sent, or asked for */
static unsigned reminded; /* times, of the newest packet */
static struct agpu_netconsole format;
static char release[RELEASE_MAX];
static struct udp_pcb *pcb;
static const struct agpu_snp *card;

static void udp_sink_packet(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (!closed) {
        agpu_resend_keep(&resend, packet, length);
        reminded = 0;
    }
    for (unsigned i = 0; i < AGPU_TARGETS_MAX && !closed; i++) {
        if (destinations[i].queue.bytes != NULL) {
            agpu_queue_put(&destinations[i].queue, packet, length);
        }
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
    agpu_queue_init(&destinations[0].queue, storage, QUEUE_SIZE);
    struct agpu_resend_packet *packets = agpu_heap_alloc(NULL, AGPU_RESEND_PACKETS * sizeof *packets);
    uint8_t *bytes = agpu_heap_alloc(NULL, AGPU_RESEND_BYTES);
    if (packets != NULL && bytes != NULL) {
        agpu_resend_init(&resend, packets, bytes);
    }
    agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "udp",
                                                     .max_packet = PACKET_MAX,
                                                     .packet = udp_sink_packet,
                                                     .lost = lost_packets});
}

/* Somebody who lost records asks for them. Who asks without showing the boot must be a target; who shows it, and the key where there is
 * one, has heard the records: where they go to everybody, to whom they are sent again. */
static void take_request(void *ctx, struct udp_pcb *from_pcb, struct pbuf *packet, const ip_addr_t *from,
                         u16_t port)
{
    static char request[REQUEST_MAX];
    const size_t size = pbuf_copy_partial(packet, request, sizeof request, 0);
    const enum agpu_seal_request shown = agpu_seal_check(request, size);
    const struct agpu_ip ip =
        IP_IS_V4(from) ? agpu_ip_of_lwip4(ip_2_ip4(from)) : agpu_ip_of_lwip6(ip_2_ip6(from));
    bool taken = false;

    (void)ctx, (void)from_pcb, (void)port;
    for (unsigned i = 0; i < AGPU_TARGETS_MAX && !taken && packet->tot_len <= sizeof request; i++) {
        const struct destination *d = &destinations[i];
        const bool group = agpu_ip_is_group(&d->ip);
        const enum agpu_resend_state before = resend.states[i];

        if (shown != AGPU_SEAL_WRONG && d->queue.bytes != NULL &&
            (agpu_ip_same(&d->ip, &ip) || (group && shown == AGPU_SEAL_RIGHT))) {
            taken = agpu_resend_request(&resend, i, request, size);
            moved_ns = taken ? agpu_clock_ns(NULL) : moved_ns;
            if (group && resend.states[i] == AGPU_RESEND_HAS_ALL) {
                resend.states[i] = before; /* others of the group may not */
            }
        }
    }
    refused += !taken;
    pbuf_free(packet);
}

bool agpu_udp_sink_open(const struct agpu_netconsole *to, const char *build)
{
    struct agpu_text text;

    closed = false;
    agpu_text_begin(&text, release, sizeof release);
    agpu_text_string(&text, build);
    pcb = udp_new_ip_type(IPADDR_TYPE_ANY);
    if (pcb == NULL) {
        return false;
    }
    udp_recv(pcb, take_request, NULL);
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

/* A queue with what the first one has. */
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
        return number == 0; /* the first has none when there is no memory at all */
    }
    d->ip = target->ip;
    d->port = target->port;
    return true;
}

/* A packet as netconsole sends it: with the header, with the release before it, or bare. */
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

/* To one target. False when that cannot be done now. */
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

/* The oldest packet that waits for a target. False when none can be sent now. */
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
    moved_ns = agpu_clock_ns(NULL);
    return true;
}

/* What was asked for, behind what is new. */
static void send_again(struct agpu_netif *netif)
{
    while (pcb != NULL && agpu_snp_room(&netif->snp) > FRAMES_KEPT) {
        size_t size;
        unsigned to;
        const char *kept = agpu_resend_next(&resend, agpu_clock_ns(NULL), &to, &size);

        if (kept == NULL) {
            return;
        }
        if (!agpu_way_reaches(&netif->ways, to) || !send_packet(netif, &destinations[to], kept, size)) {
            agpu_resend_again(&resend);
            return;
        }
        moved_ns = agpu_clock_ns(NULL);
    }
}

static unsigned reminders_of(unsigned number)
{
    switch (resend.states[number]) {
    case AGPU_RESEND_SILENT:
        return REMIND_MOST;
    case AGPU_RESEND_ASKS:
        return REMIND_ASKED_MOST;
    case AGPU_RESEND_HAS_ALL:
        break;
    }
    return 0;
}

/* The newest packet once more to each target that may lack it; nothing has moved by that. */
static void remind(struct agpu_netif *netif)
{
    const char *newest;
    size_t size;

    if (reminded == REMIND_ASKED_MOST || agpu_clock_ns(NULL) - moved_ns < (reminded + 1) * REMIND_NS ||
        pcb == NULL || !format.extended || agpu_udp_sink_waiting() != 0) {
        return;
    }
    newest = agpu_resend_newest(&resend, &size);
    if (newest == NULL) {
        return;
    }
    for (unsigned i = 0; i < AGPU_TARGETS_MAX; i++) {
        if (destinations[i].queue.bytes != NULL && reminded < reminders_of(i) &&
            agpu_snp_room(&netif->snp) > FRAMES_KEPT && agpu_way_reaches(&netif->ways, i)) {
            send_packet(netif, &destinations[i], newest, size);
        }
    }
    reminded++;
}

/* By turns, so that none waits for another. */
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
    send_again(netif);
    remind(netif);
}

bool agpu_udp_sink_settled(uint64_t now_ns)
{
    bool settled = true;

    for (unsigned i = 0; i < AGPU_TARGETS_MAX && format.extended && resend.packets != NULL; i++) {
        const enum agpu_resend_state peer = resend.states[i];
        const uint64_t linger = peer == AGPU_RESEND_ASKS ? LINGER_ASKED_NS : LINGER_NS;

        settled = settled && (destinations[i].queue.bytes == NULL || peer == AGPU_RESEND_HAS_ALL ||
                              now_ns - moved_ns > linger);
    }
    return settled;
}

struct agpu_udp_again agpu_udp_sink_again(void)
{
    return (struct agpu_udp_again){
        .requests = resend.requests, .sent = resend.sent, .gone = resend.gone, .refused = refused};
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
