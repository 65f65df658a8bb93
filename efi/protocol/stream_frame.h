/* stream_frame.h: frames of the lossless stream of records between image and collector
 * (tests/handbook/stream.md 2): layout, and the keyed hash after each. */
#ifndef AGPU_EFI_PROTOCOL_STREAM_FRAME_H
#define AGPU_EFI_PROTOCOL_STREAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_WIRE_VERSION 1

enum agpu_wire_type {
    AGPU_WIRE_HELLO = 1,   /* image: its identity and range of items */
    AGPU_WIRE_WELCOME = 2, /* collector: the item to start from */
    AGPU_WIRE_READY = 3,   /* image: empty; with a key, proves that it has it */
    AGPU_WIRE_ITEM = 4,    /* image: one item */
    AGPU_WIRE_ACK = 5,     /* collector: number of items stored for good */
    AGPU_WIRE_REFUSE = 6,  /* collector: a text that states the reason; never hashed */
};

/* Kinds of items. */
enum agpu_item_kind {
    AGPU_ITEM_RECORD = 1, /* a whole extended netconsole message, without run= and mac= */
    AGPU_ITEM_PIECE =
        2, /* the message of an artifact record with bytes=, to its newline, then these bytes of the file */
};

/* Header: payload size (2), type (1), zero (1). Numbers are little-endian. */
#define AGPU_WIRE_HEADER    4
#define AGPU_WIRE_MAC       16 /* after the payload, if the connection has a key */
#define AGPU_WIRE_NONCE     16
#define AGPU_WIRE_KEY       32
#define AGPU_WIRE_ITEM_HEAD 12 /* number (8), kind (1), zero (3) */
#define AGPU_WIRE_ITEM_MAX  16384
/* Bytes of a file in one item; the rest is for its record. */
#define AGPU_WIRE_PIECE_MAX 14000
/* Name of the artifact that is a capture and belongs to no case; its size is 0 except in the record of the
 * last piece. */
#define AGPU_WIRE_CAPTURE "capture.agpucap"
#define AGPU_WIRE_MAX     (AGPU_WIRE_HEADER + AGPU_WIRE_ITEM_HEAD + AGPU_WIRE_ITEM_MAX + AGPU_WIRE_MAC)

/* HELLO: magic (4), version (1), flags (1), bytes of boot (1), of token (1), nonce (16), first (8), next (8),
 * boot, token. */
#define AGPU_WIRE_HELLO_SIZE 40
#define AGPU_WIRE_BOOT_MAX   16
#define AGPU_WIRE_TOKEN_MAX  32
#define AGPU_WIRE_HELLO_MAX  (AGPU_WIRE_HELLO_SIZE + AGPU_WIRE_BOOT_MAX + AGPU_WIRE_TOKEN_MAX)
#define AGPU_WIRE_MAGIC      0x53504741u /* "AGPS" */
#define AGPU_WIRE_KEYED      1u          /* flag: frames have hashes */

/* WELCOME: version (1), flags (1), zero (2), nonce (16), resume (8). ACK: number (8). */
#define AGPU_WIRE_WELCOME_SIZE 28
#define AGPU_WIRE_ACK_SIZE     8
#define AGPU_WIRE_REFUSE_MAX   160
/* The longest frame of the collector. */
#define AGPU_WIRE_ANSWER_MAX (AGPU_WIRE_HEADER + AGPU_WIRE_REFUSE_MAX)

/* HMAC-SHA-256 over head and then body. False when it cannot be computed. */
typedef bool agpu_wire_hash(const uint8_t key[AGPU_WIRE_KEY], const void *head, size_t head_size,
                            const void *body, size_t body_size, uint8_t hash[32]);

/* One direction of a connection: the state of its hash, so that no frame can be left out, moved or
 * repeated. */
struct agpu_wire_seal {
    agpu_wire_hash *hash; /* NULL: frames have no hash */
    uint8_t key[AGPU_WIRE_KEY];
    uint8_t from;   /* 'I' image, 'C' the other side */
    uint64_t count; /* frames so far */
};

void agpu_put_u16(uint8_t *to, uint16_t value);
void agpu_put_u64(uint8_t *to, uint64_t value);
uint16_t agpu_get_u16(const uint8_t *from);
uint64_t agpu_get_u64(const uint8_t *from);

/* Purpose of a connection: part of its key, so that frames of one kind are not valid in another, or as a
 * datagram. */
#define AGPU_WIRE_LABEL_SIZE 16
extern const char agpu_wire_stream[AGPU_WIRE_LABEL_SIZE];
extern const char agpu_wire_control[AGPU_WIRE_LABEL_SIZE];

/* Derives the key of one connection, for both directions, from the shared key, the label, the payload of one
 * side's HELLO, and the nonce of the other side. */
bool agpu_wire_session(agpu_wire_hash *hash, const uint8_t key[AGPU_WIRE_KEY],
                       const char label[AGPU_WIRE_LABEL_SIZE], const uint8_t *hello, size_t hello_size,
                       const uint8_t nonce[AGPU_WIRE_NONCE], struct agpu_wire_seal *image,
                       struct agpu_wire_seal *other);

/* Completes a frame of this type whose payload of size bytes follows AGPU_WIRE_HEADER bytes: adds the header,
 * and the hash if seal is not NULL and has one. Returns the frame's size, 0 when the hash cannot be
 * computed. */
size_t agpu_wire_finish(uint8_t *frame, unsigned type, size_t size, struct agpu_wire_seal *seal);

/* Returns the size of the frame with this header, including the hash if seal is not NULL and has one. */
size_t agpu_wire_size(const uint8_t header[AGPU_WIRE_HEADER], const struct agpu_wire_seal *seal);

/* True when this whole frame is the next of its direction. */
bool agpu_wire_check(const uint8_t *frame, struct agpu_wire_seal *seal);

#endif
