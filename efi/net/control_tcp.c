/* control_tcp.c: sessions of server.c on lwIP's raw API. With too many connections lwIP ends one of lower
 * priority than the new one, so sessions have a lower priority than the stream. */
#include "efi/net/control_tcp.h"

#include "efi/clock.h"
#include "lwip/tcp.h"

/* Time allowed for the last frame to arrive, in lwIP's slow intervals. */
#define LINGER_INTERVALS (500 / TCP_SLOW_INTERVAL)

#define PRIORITY_LINGERING TCP_PRIO_MIN
#define PRIORITY_SESSION   (TCP_PRIO_MIN + 1)

static struct agpu_ctl_server *server;
static uint16_t port;
static struct tcp_pcb *listener;
static struct tcp_pcb *pcbs[AGPU_CTL_SESSIONS];

static int session_of(const struct tcp_pcb *pcb)
{
    for (int i = 0; i < AGPU_CTL_SESSIONS; i++) {
        if (pcbs[i] == pcb) {
            return i;
        }
    }
    return -1;
}

/* Separates the session from its connection, which the caller must then end. */
static struct tcp_pcb *part_from(int session)
{
    struct tcp_pcb *pcb = pcbs[session];

    pcbs[session] = NULL;
    agpu_ctl_gone(server, session);
    tcp_arg(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_recv(pcb, NULL);
    return pcb;
}

/* ---- a connection without a session, until its last frame has arrived ---- */

static err_t on_lingered(void *ctx, struct tcp_pcb *pcb)
{
    (void)ctx;
    tcp_abort(pcb);
    return ERR_ABRT;
}

static err_t on_last_words_read(void *ctx, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    (void)ctx;
    (void)error;
    if (packet != NULL) {
        pbuf_free(packet);
    }
    tcp_abort(pcb);
    return ERR_ABRT;
}

/* ---- callbacks of lwIP ---- */

static void on_error(void *ctx, err_t error)
{
    const int session = session_of(ctx);

    (void)error;
    if (session >= 0) { /* lwIP has freed it */
        pcbs[session] = NULL;
        agpu_ctl_gone(server, session);
    }
}

static err_t on_received(void *ctx, struct tcp_pcb *from, struct pbuf *packet, err_t error)
{
    const int session = session_of(from);

    (void)ctx;
    (void)error;
    if (packet == NULL) {
        tcp_abort(part_from(session));
        return ERR_ABRT;
    }
    tcp_recved(from, packet->tot_len);
    for (struct pbuf *part = packet; part != NULL; part = part->next) {
        agpu_ctl_input(server, session, part->payload, part->len, agpu_clock_ns(NULL));
    }
    pbuf_free(packet);
    return ERR_OK;
}

static err_t on_accepted(void *ctx, struct tcp_pcb *pcb, err_t error)
{
    int session;

    (void)ctx;
    if (error != ERR_OK || pcb == NULL) {
        return ERR_VAL;
    }
    session = agpu_ctl_connect(server, AGPU_CTL_NETWORK, ipaddr_ntoa(&pcb->remote_ip), agpu_clock_ns(NULL));
    if (session < 0) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    pcbs[session] = pcb;
    tcp_arg(pcb, pcb);
    tcp_recv(pcb, on_received);
    tcp_err(pcb, on_error);
    tcp_nagle_disable(pcb);
    return ERR_OK;
}

/* ---- interface of the application ---- */

void agpu_control_tcp_use(struct agpu_ctl_server *to, uint16_t at)
{
    server = to;
    port = at;
}

static void listen_for_clients(void)
{
    struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);
    struct tcp_pcb *listening;

    if (pcb == NULL) {
        return;
    }
    tcp_setprio(pcb, PRIORITY_SESSION);
    listening = tcp_bind(pcb, IP_ANY_TYPE, port) == ERR_OK ? tcp_listen(pcb) : NULL;
    if (listening == NULL) {
        tcp_abort(pcb);
        return;
    }
    listener = listening;
    tcp_accept(listener, on_accepted);
}

static void send_output(int session)
{
    const uint8_t *bytes;
    size_t size;

    while ((size = agpu_ctl_output(server, session, &bytes)) != 0) {
        const size_t room = tcp_sndbuf(pcbs[session]);
        const size_t part = size < room ? size : room;

        if (part == 0 || tcp_write(pcbs[session], bytes, (u16_t)part, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            break;
        }
        agpu_ctl_sent(server, session, part);
    }
    tcp_output(pcbs[session]);
}

static void end_connection(int session)
{
    struct tcp_pcb *pcb = part_from(session);

    if (pcb->unsent == NULL && pcb->unacked == NULL) {
        tcp_abort(pcb);
        return;
    }
    tcp_setprio(pcb, PRIORITY_LINGERING);
    tcp_recv(pcb, on_last_words_read);
    tcp_poll(pcb, on_lingered, LINGER_INTERVALS);
}

void agpu_control_tcp_poll(void)
{
    if (server == NULL) {
        return;
    }
    if (listener == NULL) {
        listen_for_clients();
    }
    for (int i = 0; i < AGPU_CTL_SESSIONS; i++) {
        if (pcbs[i] != NULL) {
            send_output(i);
        }
        if (pcbs[i] != NULL && agpu_ctl_is_over(server, i, agpu_clock_ns(NULL))) {
            end_connection(i);
        }
    }
}

void agpu_control_tcp_close(void)
{
    for (int i = 0; i < AGPU_CTL_SESSIONS; i++) {
        if (pcbs[i] != NULL) {
            tcp_abort(part_from(i));
        }
    }
    if (listener != NULL) {
        tcp_close(listener);
        listener = NULL;
    }
    server = NULL;
}

bool agpu_control_tcp_sent(void)
{
    bool sent = true;

    for (int i = 0; server != NULL && i < AGPU_CTL_SESSIONS; i++) {
        const uint8_t *bytes;

        sent = sent && (pcbs[i] == NULL || (agpu_ctl_output(server, i, &bytes) == 0 &&
                                            pcbs[i]->unsent == NULL && pcbs[i]->unacked == NULL));
    }
    return sent;
}
