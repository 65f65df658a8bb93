/* credentials.h: by what a datagram shows that it is of the machine that is listened to: the token in its header, and a
 * keyed hash over it. */
#ifndef AGPU_HOST_WIRE_CREDENTIALS_H
#define AGPU_HOST_WIRE_CREDENTIALS_H

#include "tests/host/wire/netconsole.h"

#define AGPU_KEY_SIZE 32

/* Zero-initialised asks for nothing. */
struct agpu_credentials {
    char token[AGPU_TOKEN_MAX + 1]; /* "": any */
    bool keyed;
    uint8_t key[AGPU_KEY_SIZE];
};

enum agpu_credentials_result {
    AGPU_CREDENTIALS_RIGHT,
    AGPU_CREDENTIALS_NO_TOKEN, /* no token, or another one */
    AGPU_CREDENTIALS_FORGED    /* no hash, or one of another key or text */
};

/* line is the whole datagram, packet what it was parsed into. The hash is HMAC-SHA-256, cut to its first 16 bytes, of the
 * datagram without its item ",mac=..." and without a kernel release in front of the level; such a datagram has the id of a boot. */
enum agpu_credentials_result agpu_credentials_check(const struct agpu_credentials *credentials,
                                                    const char *line, size_t length,
                                                    const struct agpu_packet *packet);

/* Is it the token that is asked for, if any? */
bool agpu_credentials_token(const struct agpu_credentials *credentials, const char *token, size_t length);

/* HMAC-SHA-256 over head and then body: an agpu_wire_hash. Always true. */
bool agpu_credentials_hash(const uint8_t key[AGPU_KEY_SIZE], const void *head, size_t head_size,
                           const void *body, size_t body_size, uint8_t hash[32]);

/* A key as 64 hexadecimal digits, and blanks behind them. */
bool agpu_key_read(const char *text, uint8_t key[AGPU_KEY_SIZE]);

#endif
