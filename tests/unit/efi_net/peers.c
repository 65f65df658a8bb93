/* peers.c: reads and builds frames by hand, because tests need invalid ones. */
#include "tests/unit/efi_net/peers.h"

#include <string.h>

#include "tests/unit/efi_net/lan.h"

const uint8_t peer_target_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
const uint8_t peer_hostile_mac[6] = {0x02, 0, 0, 0, 0, 0x66};

static const uint8_t everybody[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

void peer_put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

void peer_put32(uint8_t *at, uint32_t value)
{
    peer_put16(at, value >> 16);
    peer_put16(at + 2, value & 0xFFFF);
}

unsigned peer_get16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

uint32_t peer_get32(const uint8_t *at)
{
    return (uint32_t)peer_get16(at) << 16 | peer_get16(at + 2);
}

static unsigned checksum(const uint8_t *bytes, size_t size)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < size; i += 2) {
        sum += (uint32_t)bytes[i] << 8 | (i + 1 < size ? bytes[i + 1] : 0);
    }
    while (sum >> 16) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return ~sum & 0xFFFF;
}

static void ethernet(uint8_t *frame, const uint8_t to[6], const uint8_t from[6], unsigned type)
{
    memcpy(frame, to, 6);
    memcpy(frame + 6, from, 6);
    peer_put16(frame + 12, type);
}

void peer_arp(unsigned opcode, uint32_t sender_ip, const uint8_t sender_mac[6], const uint8_t to[6])
{
    uint8_t frame[60] = {0};

    ethernet(frame, to, sender_mac, 0x0806);
    memcpy(frame + 14, (const uint8_t[]){0, 1, 8, 0, 6, 4, 0, (uint8_t)opcode}, 8);
    memcpy(frame + 22, sender_mac, 6);
    peer_put32(frame + 28, sender_ip);
    memcpy(frame + 32, opcode == 2 ? to : (const uint8_t[6]){0}, 6);
    peer_put32(frame + 38, PEER_OWN_IP);
    lan_deliver(frame, sizeof frame);
}

static void ip_header(uint8_t *ip, size_t size, unsigned protocol, uint32_t from, uint32_t to)
{
    memcpy(ip, (const uint8_t[]){0x45, 0, 0, 0, 0, 1, 0, 0, 64, (uint8_t)protocol, 0, 0}, 12);
    peer_put16(ip + 2, (unsigned)size);
    peer_put32(ip + 12, from);
    peer_put32(ip + 16, to);
    peer_put16(ip + 10, checksum(ip, 20));
}

void peer_ip(uint8_t *frame, unsigned protocol, uint32_t from, size_t size)
{
    uint8_t *at = frame + 34 + (protocol == 6 ? 16 : 6);
    uint32_t sum;

    ethernet(frame, lan_mac, peer_target_mac, 0x0800);
    ip_header(frame + 14, 20 + size, protocol, from, PEER_OWN_IP);
    /* The checksum covers the addresses, the protocol and the length too. */
    sum = (~checksum(frame + 26, 8 + size) & 0xFFFF) + protocol + (uint32_t)size;
    while (sum >> 16) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    peer_put16(at, ~sum & 0xFFFF);
}

void peer_echo(uint32_t from)
{
    uint8_t frame[74] = {0};

    ethernet(frame, lan_mac, peer_hostile_mac, 0x0800);
    ip_header(frame + 14, 60, 1, from, PEER_OWN_IP);
    frame[34] = 8;
    peer_put16(frame + 36, checksum(frame + 34, 40));
    lan_deliver(frame, sizeof frame);
}

void peer_udp(uint16_t from_port, uint16_t to_port, const void *data, size_t size, const uint8_t to[6])
{
    uint8_t frame[LAN_FRAME_MAX] = {0};

    ethernet(frame, to, peer_target_mac, 0x0800);
    ip_header(frame + 14, 28 + size, 17, PEER_TARGET_IP, to == everybody ? UINT32_MAX : PEER_OWN_IP);
    peer_put16(frame + 34, from_port);
    peer_put16(frame + 36, to_port);
    peer_put16(frame + 38, (unsigned)(8 + size));
    memcpy(frame + 42, data, size);
    lan_deliver(frame, 42 + size);
}

static void answer_dhcp(struct peers *p, const uint8_t *request, size_t size)
{
    uint8_t reply[600] = {2, 1, 6};
    uint8_t *option = reply + 240;
    unsigned kind = 0;
    bool asks = false;

    p->dhcp_asked++;
    for (size_t i = 240; i + 2 < size && request[i] != 255; i += 2u + request[i + 1]) {
        kind = request[i] == 53 ? request[i + 2] : kind;
        asks = asks || (request[i] == 55 && i + 2 + request[i + 1] <= size &&
                        memchr(request + i + 2, 224, request[i + 1]) != NULL);
    }
    if (kind != 1 && kind != 3) {
        return;
    }
    memcpy(reply + 4, request + 4, 4);
    peer_put32(reply + 16, p->offered != 0 ? p->offered : PEER_OWN_IP);
    memcpy(reply + 28, request + 28, 16);
    peer_put32(reply + 236, 0x63825363);
    memcpy(option,
           (const uint8_t[]){53, 1, kind == 1 ? 2 : 5, 54, 4, 10, 0, 0, 1, 1, 4, 255, 255, 255, 0, 51, 4},
           17);
    peer_put32(option + 17, p->lease_s);
    option += 21;
    if (p->gateway != 0) {
        option[0] = 3;
        option[1] = 4;
        peer_put32(option + 2, p->gateway);
        option += 6;
    }
    if (p->settings != NULL && asks) {
        const size_t length = strlen(p->settings);

        option[0] = 224;
        option[1] = (uint8_t)length;
        memcpy(option + 2, p->settings, length);
        option += 2 + length;
    }
    option[0] = 255;
    peer_udp(67, 68, reply, sizeof reply, everybody);
}

static void see_udp(struct peers *p, const uint8_t *frame, size_t size)
{
    const unsigned port = peer_get16(frame + 36);
    size_t length = peer_get16(frame + 38) - 8u;

    if (length > size - 42) {
        return;
    }
    if (port == 67 && p->serves_dhcp) {
        answer_dhcp(p, frame + 42, length);
    }
    if (port == 6666) {
        if (!memcmp(frame, peer_target_mac, 6) || (frame[0] & 1)) {
            p->records++;
            p->to_all += frame[0] & 1;
        } else {
            p->diverted++;
        }
        length = length < sizeof p->last ? length : sizeof p->last - 1;
        memcpy(p->last, frame + 42, length);
        p->last[length] = '\0';
    }
}

void peers_frame(void *ctx, const uint8_t *frame, size_t size)
{
    struct peers *p = ctx;
    const unsigned type = peer_get16(frame + 12);

    if (type == 0x0806 && frame[21] == 2) {
        p->arp_replies++;
    }
    if (type == 0x0806 && frame[21] == 1 && peer_get32(frame + 38) == PEER_TARGET_IP) {
        p->arp_asked++;
        if (p->answers) {
            peer_arp(2, PEER_TARGET_IP, peer_target_mac, lan_mac);
        }
    }
    if (type == 0x0806 && frame[21] == 1 && peer_get32(frame + 38) == PEER_OWN_IP &&
        peer_get32(frame + 28) == 0) {
        p->probed++;
        if (p->duplicate) {
            peer_arp(2, PEER_OWN_IP, peer_hostile_mac, lan_mac);
        }
    }
    if (type == 0x0800 && frame[23] == 1) {
        p->echo_replies += frame[34] == 0;
        p->other_icmp += frame[34] != 0;
    }
    if (type == 0x0800 && frame[23] == 17 && size >= 42) {
        see_udp(p, frame, size);
    }
}
