/* peers6.c: reads and builds IPv6 frames by hand. */
#include "tests/unit/efi_net/peers6.h"

#include <string.h>

#include "tests/unit/efi_net/lan.h"
#include "tests/unit/efi_net/peers.h"

#define PAYLOAD 54

const uint8_t peer6_target[16] = {0xFD, [15] = 1};
const uint8_t peer6_target_local[16] = {0xFE, 0x80, [15] = 1};
const uint8_t peer6_prefix[16] = {0xFD};

static const uint8_t all_nodes[16] = {0xFF, 2, [15] = 1};

void peer6_ip(uint8_t *frame, unsigned protocol, const uint8_t from[16], const uint8_t to[16],
              const uint8_t from_mac[6], size_t size, size_t checksum_at)
{
    uint32_t sum = protocol + (uint32_t)size;

    if (to[0] == 0xFF) {
        memcpy(frame, (const uint8_t[]){0x33, 0x33, to[12], to[13], to[14], to[15]}, 6);
    } else {
        memcpy(frame, lan_mac, 6);
    }
    memcpy(frame + 6, from_mac, 6);
    memcpy(frame + 12, (const uint8_t[]){0x86, 0xDD, 0x60, 0, 0, 0}, 6);
    peer_put16(frame + 18, (unsigned)size);
    frame[20] = (uint8_t)protocol;
    frame[21] = 255;
    memcpy(frame + 22, from, 16);
    memcpy(frame + 38, to, 16);
    frame[PAYLOAD + size] = 0;
    for (size_t i = 22; i < PAYLOAD + size; i += 2) {
        sum += peer_get16(frame + i);
    }
    while (sum >> 16) {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    peer_put16(frame + PAYLOAD + checksum_at, ~sum & 0xFFFF);
}

void peer6_advertise(const uint8_t ip[16], const uint8_t mac[6], const uint8_t to[16], bool solicited)
{
    uint8_t frame[PAYLOAD + 33] = {0};

    frame[PAYLOAD] = 136;
    frame[PAYLOAD + 4] = solicited ? 0x60 : 0x20;
    memcpy(frame + PAYLOAD + 8, ip, 16);
    frame[PAYLOAD + 24] = 2;
    frame[PAYLOAD + 25] = 1;
    memcpy(frame + PAYLOAD + 26, mac, 6);
    peer6_ip(frame, 58, ip, to, mac, 32, 2);
    lan_deliver(frame, PAYLOAD + 32);
}

void peer6_announce(const uint8_t prefix[16])
{
    uint8_t frame[PAYLOAD + 49] = {0};
    uint8_t *option = frame + PAYLOAD + 16;

    frame[PAYLOAD] = 134;
    frame[PAYLOAD + 4] = 64;
    peer_put16(frame + PAYLOAD + 6, 1800);
    memcpy(option, (const uint8_t[]){3, 4, 64, 0xC0}, 4); /* flags: on this link, usable for addresses */
    peer_put32(option + 4, 3600);
    peer_put32(option + 8, 3600);
    memcpy(option + 16, prefix, 16);
    peer6_ip(frame, 58, peer6_target_local, all_nodes, peer_target_mac, 48, 2);
    lan_deliver(frame, PAYLOAD + 48);
}

static void see_solicitation(struct peers6 *p, const uint8_t *frame)
{
    static const uint8_t unspecified[16];
    const uint8_t *target = frame + PAYLOAD + 8, *from = frame + 22;

    p->asked++;
    if (p->duplicate && !memcmp(from, unspecified, 16)) {
        peer6_advertise(target, peer_hostile_mac, all_nodes, false);
    }
    if (p->answers && (!memcmp(target, peer6_target, 16) || !memcmp(target, peer6_target_local, 16))) {
        peer6_advertise(target, peer_target_mac, from, true);
    }
}

static void see_udp(struct peers6 *p, const uint8_t *frame, size_t size)
{
    size_t length = peer_get16(frame + PAYLOAD + 4);

    if (peer_get16(frame + PAYLOAD + 2) != 6666 || length < 8 || PAYLOAD + length > size) {
        return;
    }
    length -= 8;
    p->records += !memcmp(frame, peer_target_mac, 6);
    p->to_group += !memcmp(frame + 38, all_nodes, 16);
    p->diverted += memcmp(frame, peer_target_mac, 6) && memcmp(frame + 38, all_nodes, 16);
    memcpy(p->from, frame + 22, 16);
    length = length < sizeof p->last ? length : sizeof p->last - 1;
    memcpy(p->last, frame + PAYLOAD + 8, length);
    p->last[length] = '\0';
}

void peers6_frame(void *ctx, const uint8_t *frame, size_t size)
{
    struct peers6 *p = ctx;

    if (size < PAYLOAD + 8 || peer_get16(frame + 12) != 0x86DD) {
        return;
    }
    if (frame[20] == 58 && frame[PAYLOAD] == 135 && size >= PAYLOAD + 24) {
        see_solicitation(p, frame);
    } else if (frame[20] == 58 && frame[PAYLOAD] == 133) {
        p->asked_routers++;
        if (p->routes) {
            peer6_announce(peer6_prefix);
        }
    } else if (frame[20] == 58 && frame[PAYLOAD] == 136) {
        p->advertised++;
    } else if (frame[20] == 17) {
        see_udp(p, frame, size);
    }
}
