/* credentials.c: compares the token and computes the keyed hash. */
#include "tests/host/wire/credentials.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>

#define MAC_SIZE (AGPU_MAC_DIGITS / 2)

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex(const char *text, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int high = hex_digit(text[2 * i]);
        const int low = high >= 0 ? hex_digit(text[2 * i + 1]) : -1;

        if (low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool agpu_key_read(const char *text, uint8_t key[AGPU_KEY_SIZE])
{
    const size_t digits = strspn(text, "0123456789abcdefABCDEF");

    return digits == 2 * AGPU_KEY_SIZE && text[digits + strspn(text + digits, " \t\r\n")] == '\0' &&
           read_hex(text, key, AGPU_KEY_SIZE);
}

static bool mac_right(const struct agpu_credentials *credentials, const char *line, size_t length,
                      const struct agpu_packet *packet)
{
    struct hmac_sha256_ctx hmac;
    uint8_t given[MAC_SIZE];
    uint8_t right[MAC_SIZE];
    const char *cut, *rest;

    if (packet->mac == NULL || packet->boot_length == 0 || !read_hex(packet->mac, given, sizeof given)) {
        return false;
    }
    cut = packet->mac - 5; /* ",mac=" */
    rest = packet->mac + AGPU_MAC_DIGITS;
    hmac_sha256_set_key(&hmac, AGPU_KEY_SIZE, credentials->key);
    hmac_sha256_update(&hmac, (size_t)(cut - packet->level), (const uint8_t *)packet->level);
    hmac_sha256_update(&hmac, (size_t)(line + length - rest), (const uint8_t *)rest);
    hmac_sha256_digest(&hmac, sizeof right, right);
    return memeql_sec(given, right, sizeof right) != 0;
}

bool agpu_credentials_token(const struct agpu_credentials *credentials, const char *token, size_t length)
{
    const size_t right = strlen(credentials->token);

    return right == 0 || (length == right && memeql_sec(token, credentials->token, right) != 0);
}

bool agpu_credentials_hash(const uint8_t key[AGPU_KEY_SIZE], const void *head, size_t head_size,
                           const void *body, size_t body_size, uint8_t hash[32])
{
    struct hmac_sha256_ctx hmac;

    hmac_sha256_set_key(&hmac, AGPU_KEY_SIZE, key);
    hmac_sha256_update(&hmac, head_size, head);
    hmac_sha256_update(&hmac, body_size, body);
    hmac_sha256_digest(&hmac, SHA256_DIGEST_SIZE, hash);
    return true;
}

enum agpu_credentials_result agpu_credentials_check(const struct agpu_credentials *credentials,
                                                    const char *line, size_t length,
                                                    const struct agpu_packet *packet)
{
    if (!agpu_credentials_token(credentials, packet->token, packet->token_length)) {
        return AGPU_CREDENTIALS_NO_TOKEN;
    }
    return credentials->keyed && !mac_right(credentials, line, length, packet) ? AGPU_CREDENTIALS_FORGED
                                                                               : AGPU_CREDENTIALS_RIGHT;
}
