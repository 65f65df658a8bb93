/* seal.h: items in the header of every datagram of records that identify its sender to a collector:
 * run=[TOKEN.]BOOT, and with a key mac=, a keyed hash. Receivers that do not know them ignore both, as the
 * format requires. */
#ifndef AGPU_NET_SEAL_H
#define AGPU_NET_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_SEAL_TOKEN_MAX 32
#define AGPU_SEAL_KEY_SIZE  32
/* ",run=" token "." boot ",mac=" 32 digits */
#define AGPU_SEAL_SIZE_MAX (5 + AGPU_SEAL_TOKEN_MAX + 1 + 16 + 5 + 32)

/* Sets the token ("": none), the id of the boot and the key (NULL: none) for all packets from now on. False
 * when there is no memory for the hash; packets then carry none. */
bool agpu_seal_open(const char *token, const char *boot, const uint8_t *key);

/* HMAC-SHA-256 over head and body with any key: an agpu_wire_hash. False when there is no memory for it. */
bool agpu_seal_hash(const uint8_t key[AGPU_SEAL_KEY_SIZE], const void *head, size_t head_size,
                    const void *body, size_t body_size, uint8_t hash[32]);

/* Copies the packet of size bytes, an extended netconsole message, to `to` with the items added to its
 * header. to holds size + AGPU_SEAL_SIZE_MAX bytes. Returns the new size. */
size_t agpu_seal_packet(const char *packet, size_t size, char *to);

#endif
