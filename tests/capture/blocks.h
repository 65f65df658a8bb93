/* blocks.h: reads a capture as it is written, block by block, from whoever has the bytes: stored blocks alone, since
 * unpacking is the host's (format.h). Freestanding; the file may be anybody's. */
#ifndef AGPU_CAPTURE_BLOCKS_H
#define AGPU_CAPTURE_BLOCKS_H

#include "tests/capture/records.h"

struct agpu_capture_blocks {
    /* Fills in size bytes, the next ones. False at the end, or when they cannot be read. */
    bool (*read)(void *ctx, void *to, size_t size);
    void *ctx;
    uint8_t *block; /* AGPU_CAPTURE_BLOCK_MAX bytes, aligned to 8; the caller's */
    uint32_t size, at;
    uint64_t block_records, records, number, sums;
};

/* Starts at the beginning. NULL, or why these are no bytes of a capture that can be read. */
const char *agpu_capture_blocks_open(struct agpu_capture_blocks *blocks);

/* The next record. False at the end: *wrong is NULL when that was all of it. */
bool agpu_capture_blocks_next(struct agpu_capture_blocks *blocks, struct agpu_capture_item *item,
                              const char **wrong);

#endif
