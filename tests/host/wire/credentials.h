/* credentials.h: authenticates datagrams: the token in the header, and a keyed hash (MAC) over the datagram. */
#ifndef AGPU_HOST_WIRE_CREDENTIALS_H
#define AGPU_HOST_WIRE_CREDENTIALS_H

#include "tests/host/wire/netconsole.h"

#define AGPU_KEY_SIZE 32

/* A zero-initialised structure accepts every datagram. */
struct agpu_credentials {
    char token[AGPU_TOKEN_MAX + 1]; /* "": any */
    bool keyed;
    uint8_t key[AGPU_KEY_SIZE];
};

enum agpu_credentials_result {
    AGPU_CREDENTIALS_RIGHT,
    AGPU_CREDENTIALS_NO_TOKEN, /* no token, or a different one */
    AGPU_CREDENTIALS_FORGED    /* no hash, or one made with another key or over another text */
};

/* Checks a datagram. line is the whole datagram, packet its parsed form. The hash is HMAC-SHA-256, truncated to 16
 * bytes, over the datagram without its item ",mac=..." and without a kernel release in front of the level. A
 * datagram with a hash must have the id of a boot. */
enum agpu_credentials_result agpu_credentials_check(const struct agpu_credentials *credentials,
                                                    const char *line, size_t length,
                                                    const struct agpu_packet *packet);

/* Returns true when the token is the required one, or none is required. */
bool agpu_credentials_token(const struct agpu_credentials *credentials, const char *token, size_t length);

/* Computes HMAC-SHA-256 over head followed by body; an agpu_wire_hash. Always returns true. */
bool agpu_credentials_hash(const uint8_t key[AGPU_KEY_SIZE], const void *head, size_t head_size,
                           const void *body, size_t body_size, uint8_t hash[32]);

/* Reads a key: 64 hexadecimal digits, optionally followed by blanks. */
bool agpu_key_read(const char *text, uint8_t key[AGPU_KEY_SIZE]);

#endif
