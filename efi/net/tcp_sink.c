/* tcp_sink.c: carries out the actions of uplink.c with lwIP's raw API. */
#include "efi/net/tcp_sink.h"

#include <string.h>

#include "efi/boot_id.h"
#include "efi/clock.h"
#include "efi/heap.h"
#include "efi/net/ask.h"
#include "efi/net/seal.h"
#include "efi/net/uplink.h"
#include "lwip/tcp.h"

/* Holds a run of a few thousand cases, so that a restarted collector can get all of it. */
#define BACKLOG_SIZE (4 * 1024 * 1024)

/* After this many resets since the last connection the collector is treated as absent. A single one may belong
 * to an earlier attempt, on a link that loses packets. */
#define RESETS_MAX 3

/* Upper bound of the retransmission timeout. TCP doubles it for each attempt; with so much loss that more
 * than half of the attempts fail, it would grow faster than segments arrive, and the stream would stall. */
#define AGAIN_MAX_MS 500

static struct agpu_uplink uplink;
static void *storage;
static bool closed = true; /* accepts no records */
static bool open;          /* has a target */
static ip_addr_t target;
static uint16_t port;
static char token[AGPU_CONFIG_TOKEN_MAX + 1];
static char boot[AGPU_WIRE_BOOT_MAX + 1];
static uint32_t attempts;
static struct tcp_pcb *pcb;
static unsigned resets; /* in a row, since the connection was last open */
static bool unwanted;   /* the peer takes no stream, as far as known */
static char reported[AGPU_WIRE_REFUSE_MAX + 1];

static void sink_packet(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    if (!closed) {
        agpu_uplink_put(&uplink, AGPU_ITEM_RECORD, packet, length);
    }
}

/* Space for one record and its overhead, in addition to its piece. */
#define PIECE_EXTRA (AGPU_WIRE_ITEM_MAX - AGPU_WIRE_PIECE_MAX)

/* Takes pieces only while a collector acknowledges: other receivers of records cannot get the file. */
static bool takes_piece(void *ctx, size_t size)
{
    const size_t pieces = size / AGPU_WIRE_PIECE_MAX + 1;

    (void)ctx;
    return agpu_tcp_sink_is_open() && size <= BACKLOG_SIZE / 2 &&
           size + pieces * PIECE_EXTRA <= agpu_backlog_room(&uplink.backlog);
}

static void sink_piece(void *ctx, const char *packet, size_t length, const void *bytes, size_t size)
{
    static uint8_t item[AGPU_WIRE_ITEM_MAX];

    (void)ctx;
    _Static_assert(AGPU_STREAM_PIECE_MAX <= AGPU_WIRE_PIECE_MAX, "a piece fits an item");
    _Static_assert(AGPU_RECORD_TEXT_MAX + 200 <= PIECE_EXTRA, "and so does its record");
    if (!closed && length <= PIECE_EXTRA && size <= AGPU_WIRE_PIECE_MAX) {
        memcpy(item, packet, length);
        memcpy(item + length, bytes, size);
        agpu_uplink_put(&uplink, AGPU_ITEM_PIECE, item, length + size);
    }
}

/* Starts with an empty backlog. */
static void begin(void)
{
    storage = agpu_heap_alloc(NULL, BACKLOG_SIZE);
    if (storage == NULL) {
        return;
    }
    agpu_uplink_init(&uplink,
                     &(struct agpu_uplink_config){
                         .boot = boot, .token = token, .storage = storage, .storage_size = BACKLOG_SIZE});
    attempts = resets = 0;
    unwanted = false;
    reported[0] = '\0';
    closed = false;
}

void agpu_tcp_sink_add(struct agpu_stream *stream)
{
    if (agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "tcp",
                                                         .packet = sink_packet,
                                                         .takes_piece = takes_piece,
                                                         .piece = sink_piece})) {
        begin();
    }
}

void agpu_tcp_sink_open(const struct agpu_config *config, const struct agpu_target *to)
{
    if (closed) { /* the network was stopped and starts again */
        begin();
    }
    if (closed) {
        return;
    }
    memcpy(token, config->token, sizeof token);
    memcpy(boot, agpu_boot_id(), AGPU_BOOT_ID_SIZE + 1);
    if (config->keyed) {
        uplink.config.hash = agpu_seal_hash;
        memcpy(uplink.config.key, config->key, sizeof uplink.config.key);
    }
    target = agpu_lwip_of_ip(&to->ip);
    port = config->stream_port != 0 ? config->stream_port : to->port;
    open = true;
}

/* ---- callbacks of lwIP ---- */

static void forget_pcb(void)
{
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_err(pcb, NULL);
    pcb = NULL;
}

/* Aborts at once, without a closing handshake. */
static void abort_connection(void)
{
    struct tcp_pcb *old = pcb;

    if (old != NULL) {
        forget_pcb();
        tcp_abort(old);
    }
}

/* lwIP has freed the connection. */
static void on_error(void *ctx, err_t error)
{
    (void)ctx;
    resets = error == ERR_RST ? resets + 1 : 0;
    unwanted = unwanted || (resets >= RESETS_MAX && uplink.opened == 0);
    pcb = NULL;
    agpu_uplink_broken(&uplink, agpu_clock_ns(NULL));
}

static err_t on_received(void *ctx, struct tcp_pcb *from, struct pbuf *packet, err_t error)
{
    (void)ctx;
    (void)error;
    if (packet == NULL) { /* the peer has closed the connection */
        abort_connection();
        agpu_uplink_broken(&uplink, agpu_clock_ns(NULL));
        return ERR_ABRT;
    }
    tcp_recved(from, packet->tot_len);
    for (struct pbuf *part = packet; part != NULL; part = part->next) {
        agpu_uplink_input(&uplink, part->payload, part->len, agpu_clock_ns(NULL));
    }
    pbuf_free(packet);
    return ERR_OK;
}

static err_t on_connected(void *ctx, struct tcp_pcb *to, err_t error)
{
    uint8_t nonce[AGPU_WIRE_NONCE] = {0};

    (void)ctx;
    (void)to;
    (void)error;
    memcpy(nonce, boot, AGPU_WIRE_NONCE - sizeof attempts);
    memcpy(nonce + AGPU_WIRE_NONCE - sizeof attempts, &attempts, sizeof attempts);
    agpu_uplink_connected(&uplink, nonce, agpu_clock_ns(NULL));
    return ERR_OK;
}

/* ---- actions of uplink.c ---- */

static void start_connection(void)
{
    agpu_uplink_connecting(&uplink, agpu_clock_ns(NULL));
    attempts++;
    pcb = tcp_new_ip_type(IP_GET_TYPE(&target));
    if (pcb == NULL) {
        agpu_uplink_broken(&uplink, agpu_clock_ns(NULL));
        return;
    }
    tcp_recv(pcb, on_received);
    tcp_err(pcb, on_error);
    if (tcp_connect(pcb, &target, port, on_connected) != ERR_OK) {
        abort_connection();
        agpu_uplink_broken(&uplink, agpu_clock_ns(NULL));
    }
}

static void bound_pauses(void)
{
    const int measured = (pcb->sa >> 3) + pcb->sv; /* a long route has a long round-trip time */
    const int longest =
        2 * measured > AGAIN_MAX_MS / TCP_SLOW_INTERVAL ? 2 * measured : AGAIN_MAX_MS / TCP_SLOW_INTERVAL;

    if (pcb->rto > longest) {
        pcb->rto = (s16_t)longest;
    }
}

static void send_output(void)
{
    const uint8_t *bytes;
    size_t size;

    while (pcb != NULL && (size = agpu_uplink_output(&uplink, &bytes, agpu_clock_ns(NULL))) != 0) {
        const size_t room = tcp_sndbuf(pcb);
        const size_t part = size < room ? size : room;

        if (part == 0 || tcp_write(pcb, bytes, (u16_t)part, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        agpu_uplink_sent(&uplink, part);
    }
    if (pcb != NULL) {
        bound_pauses();
        tcp_output(pcb); /* also segments that were held back while a frame was processed */
    }
}

void agpu_tcp_sink_poll(struct agpu_netif *netif)
{
    if (!open) {
        return;
    }
    switch (agpu_uplink_poll(&uplink, agpu_clock_ns(NULL))) {
    case AGPU_UPLINK_CONNECT:
        if (agpu_way_reaches(&netif->ways, 0)) {
            start_connection();
        }
        break;
    case AGPU_UPLINK_CLOSE:
        abort_connection();
        agpu_uplink_broken(&uplink, agpu_clock_ns(NULL));
        break;
    case AGPU_UPLINK_NOTHING:
        break;
    }
    resets = uplink.state == AGPU_UPLINK_OPEN ? 0 : resets;
    unwanted = uplink.state != AGPU_UPLINK_OPEN && (unwanted || uplink.refused);
    send_output();
}

void agpu_tcp_sink_close(void)
{
    abort_connection();
    open = false;
    closed = true;
    agpu_heap_free(NULL, storage);
    storage = NULL;
}

bool agpu_tcp_sink_is_open(void)
{
    return open && uplink.state == AGPU_UPLINK_OPEN;
}

bool agpu_tcp_sink_is_refused(void)
{
    return resets >= RESETS_MAX;
}

uint64_t agpu_tcp_sink_waiting(void)
{
    return open && !unwanted && !agpu_uplink_drained(&uplink) ? uplink.backlog.next - uplink.backlog.acked
                                                              : 0;
}

uint64_t agpu_tcp_sink_overwritten(void)
{
    return open && uplink.opened ? uplink.backlog.overwritten : 0;
}

const char *agpu_tcp_sink_take_reason(void)
{
    if (!open || !strcmp(reported, uplink.reason)) {
        return NULL;
    }
    memcpy(reported, uplink.reason, sizeof reported);
    return reported[0] ? reported : NULL;
}
