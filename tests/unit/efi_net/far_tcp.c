/* far_tcp.c: reads and builds segments by hand (RFC 9293). */
#include "tests/unit/efi_net/far_tcp.h"

#include <string.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"

#define FIN     0x01u
#define SYN     0x02u
#define RST     0x04u
#define PSH     0x08u
#define ACK     0x10u
#define HEADERS 54u /* Ethernet, IP, TCP */
#define SEGMENT 1456u

static void send_segment(struct far_tcp *t, uint16_t to_port, unsigned flags, uint32_t number, uint32_t acks,
                         const uint8_t *bytes, size_t size)
{
    static const uint8_t longest[] = {2, 4, SEGMENT >> 8, SEGMENT & 0xFF};
    uint8_t frame[LAN_FRAME_MAX] = {0};
    uint8_t *tcp = frame + 34;
    size_t head = 20;

    peer_put16(tcp, t->port);
    peer_put16(tcp + 2, to_port);
    peer_put32(tcp + 4, number);
    peer_put32(tcp + 8, acks);
    if ((flags & SYN) != 0) {
        memcpy(tcp + head, longest, sizeof longest);
        head += sizeof longest;
    }
    tcp[12] = (uint8_t)(head / 4 << 4);
    tcp[13] = (uint8_t)flags;
    peer_put16(tcp + 14, 65535);
    memcpy(tcp + head, bytes, size);
    peer_ip(frame, 6, t->ip, head + size);
    t->user->send(t->user->ctx, frame, 34 + head + size);
}

static void send_ack(struct far_tcp *t)
{
    send_segment(t, t->image_port, ACK, t->sent_first + (uint32_t)t->out_sent, t->received,
                 (const uint8_t *)"", 0);
}

static void send_out(struct far_tcp *t)
{
    while (t->out_sent < t->out_size) {
        const size_t left = t->out_size - t->out_sent;
        const size_t size = left < SEGMENT ? left : SEGMENT;

        send_segment(t, t->image_port, ACK | PSH, t->sent_first + (uint32_t)t->out_sent, t->received,
                     t->out + t->out_sent, size);
        t->out_sent += size;
        if (t->resend_ms == UINT64_MAX) {
            t->resend_ms = t->now_ms + t->rto_ms;
        }
    }
}

bool far_tcp_send(struct far_tcp *t, const void *bytes, size_t size)
{
    if (size > sizeof t->out - t->out_size) {
        return false;
    }
    memcpy(t->out + t->out_size, bytes, size);
    t->out_size += size;
    if (t->established) {
        send_out(t);
    }
    return true;
}

void far_tcp_forget(struct far_tcp *t)
{
    t->image_port = 0;
    t->established = false;
    t->out_size = t->out_sent = 0;
    t->resend_ms = UINT64_MAX;
    t->rto_ms = t->rto_first_ms;
}

static void open_connection(struct far_tcp *t, uint16_t image_port, uint32_t number)
{
    far_tcp_forget(t);
    t->image_port = image_port;
    t->received = number + 1;
    t->sent_first = 77000u * ++t->connections;
    t->resend_ms = t->now_ms + t->rto_ms;
    send_segment(t, image_port, SYN | ACK, t->sent_first++, t->received, (const uint8_t *)"", 0);
}

static void take_ack(struct far_tcp *t, uint32_t acks)
{
    const size_t count = acks - t->sent_first;

    if (count > t->out_sent) {
        return; /* acknowledges bytes that were not sent, or old ones */
    }
    if (!t->established) {
        t->established = true;
        t->rto_ms = t->rto_min_ms;
        t->resend_ms = UINT64_MAX;
        t->user->accepted(t->user->ctx);
    }
    if (count != 0) {
        memmove(t->out, t->out + count, t->out_size - count);
        t->out_size -= count;
        t->out_sent -= count;
        t->sent_first = acks;
        t->rto_ms = t->rto_min_ms;
        t->resend_ms = t->out_sent != 0 ? t->now_ms + t->rto_ms : UINT64_MAX;
    }
    send_out(t);
}

void far_tcp_frame(struct far_tcp *t, const uint8_t *frame, size_t size)
{
    const uint8_t *tcp = frame + 34;

    if (size < HEADERS || peer_get16(frame + 12) != 0x0800 || frame[23] != 6 ||
        peer_get32(frame + 30) != t->ip || peer_get16(tcp + 2) != t->port) {
        return;
    }
    const size_t head = 14u + 20u + (tcp[12] >> 4) * 4u;
    const size_t length = 14u + peer_get16(frame + 16) - head;
    const uint16_t from = (uint16_t)peer_get16(tcp);
    const uint32_t number = peer_get32(tcp + 4), acks = peer_get32(tcp + 8);
    const unsigned flags = tcp[13];

    if ((flags & RST) != 0) {
        if (from == t->image_port && number == t->received) {
            far_tcp_forget(t);
        }
    } else if ((flags & SYN) != 0 && from != t->image_port && !t->refuses) {
        open_connection(t, from, number);
    } else if ((flags & SYN) != 0 && from == t->image_port) {
        send_ack(t); /* the SYN with ACK is not repeated here: its timer does that */
    } else if (from != t->image_port) {
        t->resets++;
        send_segment(t, from, (flags & SYN) != 0 ? RST | ACK : RST, acks, number + 1, tcp, 0);
    } else {
        const uint32_t old = t->received - number; /* bytes of the segment that were received before */

        take_ack(t, acks);
        if (t->established && length != 0) {
            if (old < length) {
                t->received += (uint32_t)length - old;
                t->user->received(t->user->ctx, frame + head + old, length - old);
            }
            if (t->image_port == from) {
                send_ack(t);
            }
        }
    }
}

void far_tcp_tick(struct far_tcp *t)
{
    t->now_ms++;
    if (t->now_ms < t->resend_ms) {
        return;
    }
    t->again++;
    t->rto_ms = 2 * t->rto_ms < t->rto_max_ms ? 2 * t->rto_ms : t->rto_max_ms;
    t->resend_ms = t->now_ms + t->rto_ms;
    if (!t->established) {
        send_segment(t, t->image_port, SYN | ACK, t->sent_first - 1, t->received, t->out, 0);
    } else {
        const size_t size = t->out_sent < SEGMENT ? t->out_sent : SEGMENT;

        send_segment(t, t->image_port, ACK | PSH, t->sent_first, t->received, t->out, size);
    }
}
