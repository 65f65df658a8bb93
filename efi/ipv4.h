/* ipv4.h: reads and writes the address notations of the configuration: IPv4, MAC, numbers. Freestanding. */
#ifndef AGPU_EFI_IPV4_H
#define AGPU_EFI_IPV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/text.h"

/* A part of a text, not terminated. */
struct agpu_span {
    const char *at;
    size_t size;
};

/* Cuts the part in front of the first c, and c itself, off text. False, with text unchanged, when c does not
 * occur. */
bool agpu_span_cut(struct agpu_span *text, char c, struct agpu_span *before);

/* Removes blanks at both ends. */
struct agpu_span agpu_span_trim(struct agpu_span text);

bool agpu_span_is(struct agpu_span text, const char *word);

/* Each reads the whole span; false, with out unchanged, when it is anything else. IPv4 is four decimal parts,
 * in host order: 192.0.2.1 is 0xC0000201. MAC is six hexadecimal pairs separated by ':' or '-'. Decimal is at
 * most max. */
bool agpu_read_decimal(struct agpu_span text, uint32_t max, uint32_t *out);
bool agpu_read_ipv4(struct agpu_span text, uint32_t *out);
bool agpu_read_mac(struct agpu_span text, uint8_t out[6]);

/* Reads size bytes from twice as many hexadecimal digits. */
bool agpu_read_hex(const char *digits, uint8_t *out, size_t size);

void agpu_text_ipv4(struct agpu_text *text, uint32_t address);
void agpu_text_mac(struct agpu_text *text, const uint8_t mac[6]);

#endif
