/* writer.h: builds a command stream packet by packet: reserve with one compare, write, done. The first failure is
 * sticky until reset, so a sequence of writes needs one check at its end (umd.md 12.1). */
#ifndef AGPU_UMD_BASE_WRITER_H
#define AGPU_UMD_BASE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"

struct agpu_umd_environment;

/* Numbers as in umd.md 12.1. */
enum agpu_cmd_error {
    AGPU_CMD_OK = 0,
    AGPU_CMD_NO_BUFFER = 1,
    AGPU_CMD_INSUFFICIENT_SPACE = 2,
    AGPU_CMD_INVALID_ARGUMENT = 3,
    AGPU_CMD_SIZE_TOO_LARGE = 4,
};

#define AGPU_CMD_STREAM_HEADER_BYTES ((uint32_t)sizeof(struct aerogpu_cmd_stream_header))
/* Smallest free space that vector mode adds; larger requests add their size. */
#define AGPU_CMD_VECTOR_STEP 16384u

/* One stream under construction. cursor, limit and base are the hot part. The fast path uses limit, not capacity. limit
 * equals cursor while the stream has no header or an error is set, and never exceeds submit_at: one compare sends all
 * four cases to the slow path. */
struct agpu_cmd_writer {
    uint8_t *cursor;
    uint8_t *limit;
    uint8_t *base;
    size_t capacity;
    /* Vector mode grows from this heap; NULL = span mode, the caller owns base. */
    const struct agpu_umd_environment *heap;
    /* Vector mode: base is lent memory while the stream fits into it, else own memory. */
    uint8_t *own, *lent;
    size_t own_bytes, lent_bytes;
    enum agpu_cmd_error error;
    /* A stream with more bytes is full and sets pressure_bit in *pressure; SIZE_MAX: never. */
    size_t submit_at;
    uint32_t pressure_bit;
    uint32_t *pressure; /* may be NULL */
};

struct agpu_cmd_checkpoint {
    size_t used;
    enum agpu_cmd_error error;
};

/* Initialises vector mode: starts empty, owns its memory; agpu_cmd_release() frees it. */
void agpu_cmd_init_vector(struct agpu_cmd_writer *writer, const struct agpu_umd_environment *heap);
void agpu_cmd_release(struct agpu_cmd_writer *writer);
/* Vector mode: lends the writer memory that it does not own, 4-byte aligned (NULL: none). Streams that fit into `bytes`
 * are built there; a larger one moves to own memory. Call it while there is no stream; lent until the next call. */
void agpu_cmd_lend(struct agpu_cmd_writer *writer, void *memory, size_t bytes);
/* Starts span mode over buffer (4-byte aligned, owned by the caller): cursor 0, error cleared. Releases vector
 * memory. */
void agpu_cmd_set_buffer(struct agpu_cmd_writer *writer, void *buffer, size_t capacity);
/* Clears the error and starts a stream: span mode writes the header, vector mode waits for the first packet. NO_BUFFER
 * without a buffer, INSUFFICIENT_SPACE below 24 bytes. */
void agpu_cmd_reset(struct agpu_cmd_writer *writer);
/* Drops the stream; its bytes stay until the next packet starts a new one. */
void agpu_cmd_rewind(struct agpu_cmd_writer *writer);

static inline size_t agpu_cmd_used(const struct agpu_cmd_writer *writer)
{
    return (size_t)(writer->cursor - writer->base);
}

static inline bool agpu_cmd_empty(const struct agpu_cmd_writer *writer)
{
    return agpu_cmd_used(writer) <= AGPU_CMD_STREAM_HEADER_BYTES;
}

/* Returns the bytes that still fit; SIZE_MAX in vector mode. A stream without header counts as 24 bytes used. */
size_t agpu_cmd_remaining(const struct agpu_cmd_writer *writer);
/* Writes the stream's length into its header and returns it. 0 while there is no stream. */
uint32_t agpu_cmd_finalize(struct agpu_cmd_writer *writer);

struct agpu_cmd_checkpoint agpu_cmd_checkpoint(const struct agpu_cmd_writer *writer);
/* Returns to the checkpoint, which must belong to the present stream. */
void agpu_cmd_rollback(struct agpu_cmd_writer *writer, struct agpu_cmd_checkpoint checkpoint);

/* Drops the packets after `used` bytes, which must end a packet; the error stays. */
void agpu_cmd_truncate(struct agpu_cmd_writer *writer, size_t used);

/* Vector mode: exchanges the stream's memory with other memory of the same heap (NULL: none). Afterwards the writer has
 * no stream, and the caller has the old stream's bytes. */
void agpu_cmd_swap_memory(struct agpu_cmd_writer *writer, uint8_t **memory, size_t *capacity);

/* Slow path of agpu_cmd_reserve(): starts the stream, grows, or fails. */
uint8_t *agpu_cmd_make_room(struct agpu_cmd_writer *writer, size_t size);

/* True when a packet of size bytes fits without the slow path. */
static inline bool agpu_cmd_fits(const struct agpu_cmd_writer *writer, size_t size)
{
    /* The end of the packet is the next cursor, so no other sum is needed. 64 bits hold it on any machine. */
    return (uint64_t)(uintptr_t)writer->cursor + size <= (uint64_t)(uintptr_t)writer->limit;
}

/* True when the stream should be submitted before a packet of size bytes: the packet would make it full, or move it out
 * of lent memory. */
bool agpu_cmd_overflows(const struct agpu_cmd_writer *writer, size_t size);

/* Reserves a packet of size bytes (multiple of 4, at least 8) with its header filled. The rest is undefined: the caller
 * writes every member. NULL, with the error set, when it does not fit. The pointer is valid until the next
 * reservation. */
static inline void *agpu_cmd_reserve(struct agpu_cmd_writer *writer, uint32_t opcode, uint32_t size)
{
    if (__builtin_expect(!agpu_cmd_fits(writer, size), 0) && agpu_cmd_make_room(writer, size) == NULL) {
        return NULL;
    }
    struct aerogpu_cmd_hdr *packet = (struct aerogpu_cmd_hdr *)(void *)writer->cursor;
    writer->cursor += size;
    packet->opcode = opcode;
    packet->size_bytes = size;
    return packet;
}

/* Reserves room for several whole packets, `bytes` in total, which the caller copies in with their headers. NULL, with
 * the error set, when they do not fit. Valid until the next reservation. */
static inline uint8_t *agpu_cmd_reserve_run(struct agpu_cmd_writer *writer, size_t bytes)
{
    uint8_t *at = agpu_cmd_fits(writer, bytes) ? writer->cursor : agpu_cmd_make_room(writer, bytes);

    if (at != NULL) {
        writer->cursor = at + bytes;
    }
    return at;
}

/* Appends a packet of any size from 8 bytes up, rounded up to 4 and zero-filled after the header. INVALID_ARGUMENT
 * below 8. */
void *agpu_cmd_append(struct agpu_cmd_writer *writer, uint32_t opcode, size_t size);
/* Appends a fixed part of `fixed` bytes (zero-filled after the header) and a copy of the payload, zero-padded to 4.
 * INVALID_ARGUMENT: fixed < 8, or payload NULL with a size. */
void *agpu_cmd_append_payload(struct agpu_cmd_writer *writer, uint32_t opcode, size_t fixed,
                              const void *payload, size_t payload_size);
/* Like agpu_cmd_append_payload(), but the caller writes the payload; the padding is already zero. */
void *agpu_cmd_append_room(struct agpu_cmd_writer *writer, uint32_t opcode, size_t fixed,
                           size_t payload_size);

#endif
