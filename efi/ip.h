/* ip.h: addresses of both families: reads and writes their text notation (RFC 4291, RFC 5952).
 * Freestanding. */
#ifndef AGPU_EFI_IP_H
#define AGPU_EFI_IP_H

#include "efi/ipv4.h"

/* The bytes of an IPv6 address; IPv4 as ::ffff:A.B.C.D. All zero: none. */
struct agpu_ip {
    uint8_t bytes[16];
};

/* Conversion from and to host byte order. */
struct agpu_ip agpu_ip_of_v4(uint32_t address);
uint32_t agpu_ip_v4(const struct agpu_ip *ip);

bool agpu_ip_is_v4(const struct agpu_ip *ip);
bool agpu_ip_is_v6(const struct agpu_ip *ip); /* false for none as well */
bool agpu_ip_is_none(const struct agpu_ip *ip);
bool agpu_ip_is_link_local(const struct agpu_ip *ip); /* fe80::/10 */
bool agpu_ip_is_group(const struct agpu_ip *ip);      /* broadcast, ff00::/8 or 224.0.0.0/4 */

bool agpu_ip_same(const struct agpu_ip *a, const struct agpu_ip *b);
/* True when the first bits agree. bits: at most 128; for IPv4, the prefix length plus 96. */
bool agpu_ip_agree(const struct agpu_ip *a, const struct agpu_ip *b, unsigned bits);

/* Reads the whole span, "10.0.0.1" or "fe80::1". False, with out unchanged, for anything else and for the
 * all-zero address. */
bool agpu_read_ip(struct agpu_span text, struct agpu_ip *out);

void agpu_text_ip(struct agpu_text *text, const struct agpu_ip *ip);

#endif
