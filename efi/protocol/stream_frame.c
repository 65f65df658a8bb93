/* stream_frame.c: headers, numbers and hashes of frames (tests/handbook/stream.md 2). */
#include "efi/protocol/stream_frame.h"

#include <string.h>

void agpu_put_u16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

void agpu_put_u64(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

uint16_t agpu_get_u16(const uint8_t *from)
{
    return (uint16_t)(from[0] | from[1] << 8);
}

uint64_t agpu_get_u64(const uint8_t *from)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < 8; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
    return value;
}

const char agpu_wire_stream[AGPU_WIRE_LABEL_SIZE] = "agpu stream 1";
const char agpu_wire_control[AGPU_WIRE_LABEL_SIZE] = "agpu control 1";

bool agpu_wire_session(agpu_wire_hash *hash, const uint8_t key[AGPU_WIRE_KEY],
                       const char label[AGPU_WIRE_LABEL_SIZE], const uint8_t *hello, size_t hello_size,
                       const uint8_t nonce[AGPU_WIRE_NONCE], struct agpu_wire_seal *image,
                       struct agpu_wire_seal *other)
{
    const size_t used = strlen(label) + 1;
    uint8_t head[AGPU_WIRE_LABEL_SIZE + AGPU_WIRE_NONCE];

    memcpy(head, label, used);
    memcpy(head + used, nonce, AGPU_WIRE_NONCE);
    *image = (struct agpu_wire_seal){.hash = hash, .from = 'I'};
    if (!hash(key, head, used + AGPU_WIRE_NONCE, hello, hello_size, image->key)) {
        return false;
    }
    *other = *image;
    other->from = 'C';
    return true;
}

static bool hash_frame(const uint8_t *frame, size_t size, const struct agpu_wire_seal *seal,
                       uint8_t mac[AGPU_WIRE_MAC])
{
    uint8_t head[9] = {seal->from};
    uint8_t hash[32];

    agpu_put_u64(head + 1, seal->count);
    if (!seal->hash(seal->key, head, sizeof head, frame, size, hash)) {
        return false;
    }
    memcpy(mac, hash, AGPU_WIRE_MAC);
    return true;
}

static size_t mac_size(const struct agpu_wire_seal *seal)
{
    return seal != NULL && seal->hash != NULL ? AGPU_WIRE_MAC : 0;
}

size_t agpu_wire_finish(uint8_t *frame, unsigned type, size_t size, struct agpu_wire_seal *seal)
{
    const size_t bare = AGPU_WIRE_HEADER + size;

    agpu_put_u16(frame, (uint16_t)size);
    frame[2] = (uint8_t)type;
    frame[3] = 0;
    if (mac_size(seal) != 0) {
        if (!hash_frame(frame, bare, seal, frame + bare)) {
            return 0;
        }
        seal->count++;
    }
    return bare + mac_size(seal);
}

size_t agpu_wire_size(const uint8_t header[AGPU_WIRE_HEADER], const struct agpu_wire_seal *seal)
{
    return AGPU_WIRE_HEADER + agpu_get_u16(header) + mac_size(seal);
}

bool agpu_wire_check(const uint8_t *frame, struct agpu_wire_seal *seal)
{
    const size_t bare = AGPU_WIRE_HEADER + agpu_get_u16(frame);
    uint8_t mac[AGPU_WIRE_MAC];
    uint8_t differs = 0;

    if (mac_size(seal) == 0) {
        return true;
    }
    if (!hash_frame(frame, bare, seal, mac)) {
        return false;
    }
    for (unsigned i = 0; i < AGPU_WIRE_MAC; i++) { /* constant time, whatever differs */
        differs |= (uint8_t)(mac[i] ^ frame[bare + i]);
    }
    seal->count++;
    return differs == 0;
}
