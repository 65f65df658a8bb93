/* stream.h: walks the bytes of a command stream and reports its contents, packet by packet, and its errors
 * (commands.md 1 to 3). Reads untrusted bytes; no I/O. */
#ifndef AGPU_HOST_DECODE_STREAM_H
#define AGPU_HOST_DECODE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/packet_table.h"
#include "tests/host/decode/names.h"

/* A packet, or the rest of a truncated one. */
struct agpu_decoded {
    uint64_t offset;                     /* offset of its first byte */
    uint32_t opcode, size;               /* from its header */
    const struct aerogpu_packet *packet; /* NULL: unknown opcode */
    const char *section;                 /* section that describes it */
};

/* Called in this order: packet; its members and elements; its payload; problems; packet_end. Texts and pointers are
 * valid during the call. */
struct agpu_decode_output {
    void *ctx;
    /* A stream header at offset; size includes it; version is major << 16 | minor. */
    void (*stream)(void *ctx, uint64_t offset, uint32_t size, uint32_t version);
    void (*packet)(void *ctx, const struct agpu_decoded *packet);
    /* bytes: member->size of them. element: index of the payload element that contains the member, -1 for the packet
     * itself. */
    void (*member)(void *ctx, const struct agpu_member *member, const uint8_t *bytes, int64_t element);
    /* The object that the handle last named, such as "texture 64x64 B8G8R8A8_UNORM"; follows its member. word counts
     * from the member's first. */
    void (*handle)(void *ctx, uint32_t word, uint32_t handle, const char *what);
    void (*payload)(void *ctx, const uint8_t *bytes, uint64_t size);
    /* rule: section with the rule. fatal: the rest cannot be read. */
    void (*problem)(void *ctx, uint64_t offset, const char *text, const char *rule, bool fatal);
    void (*packet_end)(void *ctx);
};

struct agpu_decoder;

/* Creates a decoder, which tracks the objects of handles over several streams. Returns NULL when memory is
 * exhausted. */
struct agpu_decoder *agpu_decoder_create(void);
void agpu_decoder_destroy(struct agpu_decoder *decoder);

/* Decodes consecutive streams, or packets without a stream header. base: the reported offset of bytes[0]. Returns
 * the number of problems. */
uint64_t agpu_decode(struct agpu_decoder *decoder, const uint8_t *bytes, uint64_t size, uint64_t base,
                     const struct agpu_decode_output *output);

#endif
