/* ip.c: addresses of both families. */
#include "efi/ip.h"

#include <string.h>

#define GROUPS      8
#define MAPPED_SIZE 12

static const uint8_t mapped[MAPPED_SIZE] = {[10] = 0xFF, [11] = 0xFF};

struct agpu_ip agpu_ip_of_v4(uint32_t address)
{
    struct agpu_ip ip;

    memcpy(ip.bytes, mapped, MAPPED_SIZE);
    for (unsigned i = 0; i < 4; i++) {
        ip.bytes[MAPPED_SIZE + i] = (uint8_t)(address >> (24 - 8 * i));
    }
    return ip;
}

uint32_t agpu_ip_v4(const struct agpu_ip *ip)
{
    const uint8_t *at = ip->bytes + MAPPED_SIZE;

    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

bool agpu_ip_is_v4(const struct agpu_ip *ip)
{
    return !memcmp(ip->bytes, mapped, MAPPED_SIZE);
}

bool agpu_ip_is_none(const struct agpu_ip *ip)
{
    static const struct agpu_ip none;

    return !memcmp(ip, &none, sizeof none);
}

bool agpu_ip_is_v6(const struct agpu_ip *ip)
{
    return !agpu_ip_is_v4(ip) && !agpu_ip_is_none(ip);
}

bool agpu_ip_is_link_local(const struct agpu_ip *ip)
{
    return ip->bytes[0] == 0xFE && (ip->bytes[1] & 0xC0) == 0x80;
}

bool agpu_ip_is_group(const struct agpu_ip *ip)
{
    return agpu_ip_is_v4(ip) ? agpu_ip_v4(ip) == UINT32_MAX || agpu_ip_v4(ip) >> 28 == 14
                             : ip->bytes[0] == 0xFF;
}

bool agpu_ip_same(const struct agpu_ip *a, const struct agpu_ip *b)
{
    return !memcmp(a, b, sizeof *a);
}

bool agpu_ip_agree(const struct agpu_ip *a, const struct agpu_ip *b, unsigned bits)
{
    const unsigned bytes = bits / 8, left = bits % 8;

    return !memcmp(a->bytes, b->bytes, bytes) &&
           (left == 0 || ((a->bytes[bytes] ^ b->bytes[bytes]) & 0xFF00u >> left & 0xFFu) == 0);
}

/* Reads one group of one to four digits. */
static bool read_group(struct agpu_span text, uint16_t *out)
{
    char digits[4] = {'0', '0', '0', '0'};
    uint8_t bytes[2];

    if (text.size == 0 || text.size > sizeof digits) {
        return false;
    }
    memcpy(digits + sizeof digits - text.size, text.at, text.size);
    if (!agpu_read_hex(digits, bytes, sizeof bytes)) {
        return false;
    }
    *out = (uint16_t)(bytes[0] << 8 | bytes[1]);
    return true;
}

/* Reads groups separated by colons, none at the ends; returns their number, or -1. */
static int read_groups(struct agpu_span text, uint16_t groups[GROUPS])
{
    struct agpu_span part;
    int count = 0;

    if (text.size == 0) {
        return 0;
    }
    while (agpu_span_cut(&text, ':', &part)) {
        if (count == GROUPS - 1 || !read_group(part, &groups[count++])) {
            return -1;
        }
    }
    return read_group(text, &groups[count]) ? count + 1 : -1;
}

static bool read_ipv6(struct agpu_span text, struct agpu_ip *out)
{
    uint16_t before[GROUPS] = {0}, after[GROUPS] = {0}, all[GROUPS] = {0};
    struct agpu_span left = text, right = {text.at, 0};
    bool gap = false;
    int first, last;

    for (size_t i = 0; i + 1 < text.size && !gap; i++) {
        if (text.at[i] == ':' && text.at[i + 1] == ':') {
            gap = true;
            left.size = i;
            right = (struct agpu_span){text.at + i + 2, text.size - i - 2};
        }
    }
    first = read_groups(left, before);
    last = read_groups(right, after);
    if (first < 0 || last < 0 || (gap ? first + last >= GROUPS : first != GROUPS)) {
        return false;
    }
    memcpy(all, before, (size_t)first * sizeof all[0]);
    memcpy(all + GROUPS - last, after, (size_t)last * sizeof all[0]);
    for (unsigned i = 0; i < GROUPS; i++) {
        out->bytes[2 * i] = (uint8_t)(all[i] >> 8);
        out->bytes[2 * i + 1] = (uint8_t)all[i];
    }
    return true;
}

bool agpu_read_ip(struct agpu_span text, struct agpu_ip *out)
{
    struct agpu_ip ip;
    uint32_t v4;

    if (agpu_read_ipv4(text, &v4)) {
        if (v4 == 0) {
            return false;
        }
        *out = agpu_ip_of_v4(v4);
        return true;
    }
    if (!read_ipv6(text, &ip) || !agpu_ip_is_v6(&ip)) {
        return false;
    }
    *out = ip;
    return true;
}

static unsigned group_at(const struct agpu_ip *ip, unsigned i)
{
    return (unsigned)ip->bytes[2 * i] << 8 | ip->bytes[2 * i + 1];
}

void agpu_text_ip(struct agpu_text *text, const struct agpu_ip *ip)
{
    unsigned gap = GROUPS, gap_size = 1; /* first of the longest runs of at least two zero groups */

    if (agpu_ip_is_v4(ip)) {
        agpu_text_ipv4(text, agpu_ip_v4(ip));
        return;
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        unsigned size = 0;

        while (i + size < GROUPS && group_at(ip, i + size) == 0) {
            size++;
        }
        if (size > gap_size) {
            gap = i;
            gap_size = size;
        }
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        if (i == gap) {
            agpu_text_string(text, "::");
            i += gap_size - 1;
            continue;
        }
        agpu_format(text, "%s%x", i != 0 && i != gap + gap_size ? ":" : "", group_at(ip, i));
    }
}
