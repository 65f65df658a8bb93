/* seal.c: HMAC-SHA-256 by Mbed TLS over the datagram without the hash itself; its first 16 bytes are sent. */
#include "efi/net/seal.h"

#include <string.h>

#include "efi/heap.h"
#include "mbedtls/md.h"
#include "pci/machine/text.h"

#define MAC_SIZE 16

static char run[AGPU_SEAL_TOKEN_MAX + 1 + 16 + 1];
static mbedtls_md_context_t hmac;
static bool keyed;

void *agpu_mac_calloc(size_t count, size_t size)
{
    return agpu_heap_alloc(NULL, count * size); /* zeroed; Mbed TLS allocates a few small blocks */
}

void agpu_mac_free(void *memory)
{
    agpu_heap_free(NULL, memory);
}

bool agpu_seal_open(const char *token, const char *boot, const uint8_t *key)
{
    struct agpu_text text;

    agpu_text_begin(&text, run, sizeof run);
    if (token[0] != '\0') {
        agpu_format(&text, "%s.", token);
    }
    agpu_text_string(&text, boot);
    keyed = false;
    if (key == NULL) {
        return true;
    }
    mbedtls_md_free(&hmac); /* from an earlier start; no effect the first time */
    mbedtls_md_init(&hmac);
    keyed = mbedtls_md_setup(&hmac, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1) == 0 &&
            mbedtls_md_hmac_starts(&hmac, key, AGPU_SEAL_KEY_SIZE) == 0;
    return keyed;
}

bool agpu_seal_hash(const uint8_t key[AGPU_SEAL_KEY_SIZE], const void *head, size_t head_size,
                    const void *body, size_t body_size, uint8_t hash[32])
{
    static mbedtls_md_context_t context;
    static bool ready;

    if (!ready) {
        mbedtls_md_free(&context);
        mbedtls_md_init(&context);
        ready = mbedtls_md_setup(&context, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1) == 0;
    }
    return ready && mbedtls_md_hmac_starts(&context, key, AGPU_SEAL_KEY_SIZE) == 0 &&
           mbedtls_md_hmac_update(&context, head, head_size) == 0 &&
           mbedtls_md_hmac_update(&context, body, body_size) == 0 &&
           mbedtls_md_hmac_finish(&context, hash) == 0;
}

static bool hash_of(const char *head, size_t head_size, const char *rest, size_t rest_size, uint8_t hash[32])
{
    return mbedtls_md_hmac_reset(&hmac) == 0 &&
           mbedtls_md_hmac_update(&hmac, (const unsigned char *)head, head_size) == 0 &&
           mbedtls_md_hmac_update(&hmac, (const unsigned char *)rest, rest_size) == 0 &&
           mbedtls_md_hmac_finish(&hmac, hash) == 0;
}

/* Appends the hash over head and rest as digits. */
static void put_mac(struct agpu_text *text, const char *head, size_t head_size, const char *rest,
                    size_t rest_size)
{
    uint8_t hash[32];

    if (!hash_of(head, head_size, rest, rest_size, hash)) {
        return; /* the collector rejects a packet without a hash, like one with a wrong hash */
    }
    agpu_text_string(text, ",mac=");
    for (unsigned i = 0; i < MAC_SIZE; i++) {
        agpu_format(text, "%02X", hash[i]);
    }
}

size_t agpu_seal_packet(const char *packet, size_t size, char *to)
{
    const char *semicolon = memchr(packet, ';', size);
    const size_t head = semicolon != NULL ? (size_t)(semicolon - packet) : size;
    char items[AGPU_SEAL_SIZE_MAX + 1];
    struct agpu_text text;

    memcpy(to, packet, head);
    agpu_text_begin(&text, items, sizeof items);
    agpu_format(&text, ",run=%s", run);
    memcpy(to + head, items, text.length);
    if (keyed) {
        put_mac(&text, to, head + text.length, packet + head, size - head);
        memcpy(to + head, items, text.length);
    }
    memcpy(to + head + text.length, packet + head, size - head);
    return size + text.length;
}
