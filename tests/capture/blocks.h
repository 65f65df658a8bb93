/* blocks.h: reads a capture block by block, as it was written, from any source of bytes. Supports stored blocks only,
 * since only the host unpacks (format.h). Freestanding; the file is untrusted. */
#ifndef AGPU_CAPTURE_BLOCKS_H
#define AGPU_CAPTURE_BLOCKS_H

#include "tests/capture/records.h"

struct agpu_capture_blocks {
    /* Fills in the next size bytes. Returns false at the end, or if they cannot be read. */
    bool (*read)(void *ctx, void *to, size_t size);
    void *ctx;
    uint8_t *block; /* AGPU_CAPTURE_BLOCK_MAX bytes, aligned to 8; owned by the caller */
    uint32_t size, at;
    uint64_t block_records, records, number, sums;
};

/* Starts at the beginning. Returns NULL, or why these bytes are not a readable capture. */
const char *agpu_capture_blocks_open(struct agpu_capture_blocks *blocks);

/* Reads the next record. Returns false at the end: *wrong is NULL if the capture is complete. */
bool agpu_capture_blocks_next(struct agpu_capture_blocks *blocks, struct agpu_capture_item *item,
                              const char **wrong);

#endif
