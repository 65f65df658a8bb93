/* packet_table.h: the record that packets.def yields for every packet of the command stream (commands.md 1, 2). */
#ifndef AGPU_RING_PROTOCOL_PACKET_TABLE_H
#define AGPU_RING_PROTOCOL_PACKET_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"

/* Purpose of a packet. */
enum aerogpu_packet_class {
    AEROGPU_CLASS_NONE,    /* without effect: NOP, DEBUG_MARKER */
    AEROGPU_CLASS_OBJECT,  /* creates or destroys an object */
    AEROGPU_CLASS_SHARING, /* exports, imports or releases a shared surface */
    AEROGPU_CLASS_CONTENT, /* writes bytes from the CPU into a resource */
    AEROGPU_CLASS_COPY,    /* copies from one resource to another */
    AEROGPU_CLASS_STATE,   /* sets state that later work uses */
    AEROGPU_CLASS_WORK,    /* clears, draws or dispatches with the current state */
    AEROGPU_CLASS_FRAME,   /* presents, flushes */
};

/* Kinds of objects that a handle may name. */
enum aerogpu_handle_kind {
    AEROGPU_HANDLE_NONE,
    AEROGPU_HANDLE_RESOURCE, /* a buffer or a texture; a bound handle may also be a texture view */
    AEROGPU_HANDLE_VIEW,     /* a texture view; same numbers as resources */
    AEROGPU_HANDLE_SHADER,
    AEROGPU_HANDLE_LAYOUT,
    AEROGPU_HANDLE_SAMPLER,
    AEROGPU_HANDLE_TOKEN, /* a share token: 64 bits, two words */
};

/* Effect of a packet on the object that a handle names. */
enum aerogpu_handle_use {
    AEROGPU_HANDLE_CREATES,
    AEROGPU_HANDLE_DESTROYS,
    AEROGPU_HANDLE_BINDS, /* for later work; 0 empties the slot. In every other use handle 0 is an error */
    AEROGPU_HANDLE_READS,
    AEROGPU_HANDLE_WRITES,
    AEROGPU_HANDLE_NAMES, /* none of these */
};

/* A run of handles in a packet, or one handle in each trailing element. */
struct aerogpu_packet_handles {
    uint8_t kind; /* enum aerogpu_handle_kind; NONE ends the list */
    uint8_t use;  /* enum aerogpu_handle_use */
    uint8_t word; /* offset of the first handle in 32-bit words, in the packet or in each element */
    /* Length of the run in 32-bit words; handles beyond the end of a short packet do not exist. 0: one in each
     * element. */
    uint8_t words;
};

/* Data after the packet's structure. */
enum aerogpu_payload_kind {
    AEROGPU_PAYLOAD_NONE,
    AEROGPU_PAYLOAD_BYTES,    /* as many bytes as a member says, padded to 4 */
    AEROGPU_PAYLOAD_ELEMENTS, /* as many elements as a member says */
    AEROGPU_PAYLOAD_REST,     /* bytes up to the end of the packet */
};

struct aerogpu_packet_payload {
    uint8_t kind;          /* enum aerogpu_payload_kind */
    uint8_t count_word;    /* offset of the member that counts, in words */
    uint8_t count_words;   /* 1, or 2 for one of 64 bits */
    uint8_t element_bytes; /* 1 for bytes */
};

/* Tells when the submission needs an allocation table (ring.md 8): always, or when (word & mask) != 0. */
struct aerogpu_packet_allocs {
    uint8_t always;
    uint8_t word; /* offset in words; a packet too short to have the word needs no table */
    uint32_t mask;
};

/* BIND_SHADERS has two groups of handles; no packet has more than AEROGPU_HANDLE_GROUPS. */
#define AEROGPU_HANDLE_GROUPS 2u

struct aerogpu_packet {
    const char *name; /* as in commands.md 6 to 12 */
    uint16_t opcode;
    uint16_t smallest; /* bytes; a shorter packet is an error */
    uint16_t size;     /* bytes of the structure, which the payload follows */
    uint8_t class;     /* enum aerogpu_packet_class */
    uint8_t listed;    /* a deferred context may record it (umd.md 15) */
    struct aerogpu_packet_allocs allocs;
    struct aerogpu_packet_payload payload;
    struct aerogpu_packet_handles handles[AEROGPU_HANDLE_GROUPS];
};

#define AEROGPU_LISTED     1
#define AEROGPU_NOT_LISTED 0

/* Expands a row of packets.def to an initializer of struct aerogpu_packet. */
#define AEROGPU_PACKET_RECORD(NAME, lower_name, tag, smallest_bytes, CLASS, LIST, allocs_needed, trailing,   \
                              ...)                                                                           \
    {#NAME,          AEROGPU_CMD_##NAME, smallest_bytes, sizeof(struct tag), AEROGPU_CLASS_##CLASS,          \
     AEROGPU_##LIST, allocs_needed,      trailing,       {__VA_ARGS__}},

/* Returns the name of a packet, or NULL. */
static inline const char *aerogpu_packet_name(uint32_t opcode)
{
    switch (opcode) {
#define AEROGPU_PACKET(NAME, ...)                                                                            \
    case AEROGPU_CMD_##NAME:                                                                                 \
        return #NAME;
#include "ring/protocol/packets.def"
    default:
        return NULL;
    }
}

#endif
