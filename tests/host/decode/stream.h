/* stream.h: walks the bytes of a command stream and tells what stands in it, packet by packet, and what is wrong with it
 * (commands.md 1 to 3). Reads untrusted bytes; no I/O. */
#ifndef AGPU_HOST_DECODE_STREAM_H
#define AGPU_HOST_DECODE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/packet_table.h"
#include "tests/host/decode/names.h"

/* A packet, or what is left of one. */
struct agpu_decoded {
    uint64_t offset;                     /* of its first byte */
    uint32_t opcode, size;               /* as its header says */
    const struct aerogpu_packet *packet; /* NULL: an opcode that nobody knows */
    const char *section;                 /* that describes it */
};

/* What was found, in order: packet; its members and elements; its payload; problems; packet_end. Texts and pointers are
 * valid during the call. */
struct agpu_decode_output {
    void *ctx;
    /* A stream header at offset, of so many bytes with it; version is major << 16 | minor. */
    void (*stream)(void *ctx, uint64_t offset, uint32_t size, uint32_t version);
    void (*packet)(void *ctx, const struct agpu_decoded *packet);
    /* bytes: member->size of them. element: number of the element of the payload that it is a member of, -1 if of the
     * packet. */
    void (*member)(void *ctx, const struct agpu_member *member, const uint8_t *bytes, int64_t element);
    /* What the handle named last, a text such as "texture 64x64 B8G8R8A8_UNORM"; follows its member. word counts from the
     * member's first. */
    void (*handle)(void *ctx, uint32_t word, uint32_t handle, const char *what);
    void (*payload)(void *ctx, const uint8_t *bytes, uint64_t size);
    /* rule: section that says so. fatal: nothing behind it can be read. */
    void (*problem)(void *ctx, uint64_t offset, const char *text, const char *rule, bool fatal);
    void (*packet_end)(void *ctx);
};

struct agpu_decoder;

/* Keeps what handles name over several streams. NULL when memory is exhausted. */
struct agpu_decoder *agpu_decoder_create(void);
void agpu_decoder_destroy(struct agpu_decoder *decoder);

/* Decodes streams, one after the other, or packets without a stream header. base: what to call the offset of bytes[0].
 * Returns the number of problems. */
uint64_t agpu_decode(struct agpu_decoder *decoder, const uint8_t *bytes, uint64_t size, uint64_t base,
                     const struct agpu_decode_output *output);

#endif
