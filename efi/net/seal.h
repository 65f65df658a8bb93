/* seal.h: what every datagram of records carries in its header, so that a collector knows whose it is: run=[TOKEN.]BOOT, and
 * with a key mac=, a keyed hash. Receivers that know nothing of them ignore both, as the format asks. */
#ifndef AGPU_NET_SEAL_H
#define AGPU_NET_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_SEAL_TOKEN_MAX 32
#define AGPU_SEAL_KEY_SIZE  32
/* ",run=" token "." boot ",mac=" 32 digits */
#define AGPU_SEAL_SIZE_MAX (5 + AGPU_SEAL_TOKEN_MAX + 1 + 16 + 5 + 32)

/* From now on with this token ("": none), this id of the boot and this key (NULL: none). False when there is no memory for
 * the hash; then there is none. */
bool agpu_seal_open(const char *token, const char *boot, const uint8_t *key);

/* HMAC-SHA-256 over head and then body, of any key: an agpu_wire_hash. False when there is no memory for it. */
bool agpu_seal_hash(const uint8_t key[AGPU_SEAL_KEY_SIZE], const void *head, size_t head_size,
                    const void *body, size_t body_size, uint8_t hash[32]);

/* Writes the packet of size bytes, which is an extended netconsole message, with the items in its header. to has room for
 * size + AGPU_SEAL_SIZE_MAX. Returns the new size. */
size_t agpu_seal_packet(const char *packet, size_t size, char *to);

#endif
