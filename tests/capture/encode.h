/* encode.h: encodes records into blocks, and passes these to a writer (format.h). Freestanding: used by the image and
 * by host programs. */
#ifndef AGPU_CAPTURE_ENCODE_H
#define AGPU_CAPTURE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"

/* Number of remembered places of memory contents in a block, for contents that are recorded again. The current bytes
 * at the place decide if it still matches. */
#define AGPU_CAPTURE_PLACES 512u

/* Collects records. Must be zeroed, then agpu_capture_encoder_init(). */
struct agpu_capture_encoder {
    /* Takes the next size bytes of the file: the header, then whole blocks with their headers. Returns false if they
     * are lost, and the file can no longer be complete. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    void *ctx;
    uint8_t *buffer; /* owned by the caller: for a block header and the records of a block */
    uint32_t capacity, used;
    uint64_t block_number, block_records, records;
    uint64_t sums;                        /* of all blocks so far */
    uint64_t bytes;                       /* passed to write so far */
    uint8_t function;                     /* number for the following records */
    bool failed;                          /* a write failed: nothing more is written */
    uint32_t places[AGPU_CAPTURE_PLACES]; /* in the buffer, indexed by a hash of sample bytes; 0: none */
};

/* The size of the buffer determines that of blocks: at least AGPU_CAPTURE_BUFFER_MIN, aligned to 8; more than
 * AGPU_CAPTURE_BUFFER_MAX is not used. Writes the file's header. */
#define AGPU_CAPTURE_BUFFER_MIN (sizeof(struct agpu_capture_block) + AGPU_CAPTURE_RECORD_MAX)
#define AGPU_CAPTURE_BUFFER_MAX (sizeof(struct agpu_capture_block) + AGPU_CAPTURE_BLOCK_MAX)
void agpu_capture_encoder_init(struct agpu_capture_encoder *encoder, void *buffer, size_t size,
                               bool (*write)(void *ctx, const void *bytes, size_t size), void *ctx);

/* Adds a record with its type's structure, of size bytes, and the tail that follows it. Returns false if it would be
 * too long, or if a write has failed. */
bool agpu_capture_put(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                      const void *structure, uint32_t size, const void *tail, uint32_t tail_size);

/* Like agpu_capture_put(), for types with a structure and an optional text. */
bool agpu_capture_put_text(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                           uint64_t time_ns, const void *structure, uint32_t size, const char *text);

/* Adds memory [address, address + size), in as many records as needed. type: CONTENTS or CHANGED. */
bool agpu_capture_put_bytes(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                            uint64_t time_ns, uint64_t address, const void *bytes, uint64_t size);

/* Writes the current block. Returns false if that failed. */
bool agpu_capture_flush(struct agpu_capture_encoder *encoder);

/* Writes the current block and the end block. Returns false if the file is not complete. */
bool agpu_capture_finish(struct agpu_capture_encoder *encoder);

#endif
