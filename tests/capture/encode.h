/* encode.h: records into blocks, blocks to whoever keeps them (format.h). Freestanding: the image writes with it as host
 * programs do. */
#ifndef AGPU_CAPTURE_ENCODE_H
#define AGPU_CAPTURE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"

/* Places in a block where memory stands that may be told again; what is there now decides. */
#define AGPU_CAPTURE_PLACES 512u

/* Collects records. Zero, then agpu_capture_encoder_init(). */
struct agpu_capture_encoder {
    /* Takes size bytes of the file, in order: the header, then whole blocks with their headers. False: they are lost, and
     * the file cannot be complete any more. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    void *ctx;
    uint8_t *buffer; /* the caller's: room for a block header and the records of a block */
    uint32_t capacity, used;
    uint64_t block_number, block_records, records;
    uint64_t sums;                        /* of all blocks so far */
    uint64_t bytes;                       /* handed to write so far */
    uint8_t function;                     /* of the records that follow */
    bool failed;                          /* a write failed: nothing more is written */
    uint32_t places[AGPU_CAPTURE_PLACES]; /* in the buffer, by a sample of the bytes; 0: none */
};

/* The buffer, of size bytes, decides how large blocks are: at least AGPU_CAPTURE_BUFFER_MIN, aligned to 8; more than
 * AGPU_CAPTURE_BUFFER_MAX is not used. Writes the file's header. */
#define AGPU_CAPTURE_BUFFER_MIN (sizeof(struct agpu_capture_block) + AGPU_CAPTURE_RECORD_MAX)
#define AGPU_CAPTURE_BUFFER_MAX (sizeof(struct agpu_capture_block) + AGPU_CAPTURE_BLOCK_MAX)
void agpu_capture_encoder_init(struct agpu_capture_encoder *encoder, void *buffer, size_t size,
                               bool (*write)(void *ctx, const void *bytes, size_t size), void *ctx);

/* Adds a record of the type's structure, of size bytes, and the tail that follows it. False when it would be too long, or nothing
 * is written any more. */
bool agpu_capture_put(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                      const void *structure, uint32_t size, const void *tail, uint32_t tail_size);

/* The same for types with a structure and, where there is one, a text. */
bool agpu_capture_put_text(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                           uint64_t time_ns, const void *structure, uint32_t size, const char *text);

/* Memory [address, address + size), in as many records as that takes. type: CONTENTS or CHANGED. */
bool agpu_capture_put_bytes(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                            uint64_t time_ns, uint64_t address, const void *bytes, uint64_t size);

/* Writes out the block that is being filled. False when that failed. */
bool agpu_capture_flush(struct agpu_capture_encoder *encoder);

/* Writes out what there is, and the end block. False when the file is not complete. */
bool agpu_capture_finish(struct agpu_capture_encoder *encoder);

#endif
