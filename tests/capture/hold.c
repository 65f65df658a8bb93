/* hold.c: holds the blocks of a case in memory. */
#include "tests/capture/hold.h"

#include <string.h>

#define BLOCK AGPU_CAPTURE_HOLD_BLOCK

/* Allocates one block if there are fewer than this; returns false if there still are. */
static bool has_blocks(struct agpu_capture_hold *hold, uint32_t blocks)
{
    if (hold->count < blocks && hold->count < hold->capacity) {
        hold->blocks[hold->count] = hold->heap.alloc(hold->heap.ctx, BLOCK);
        hold->count += hold->blocks[hold->count] != NULL;
    }
    return hold->count >= blocks;
}

/* Keeps a filled block where it is; the encoder continues in the next one. */
static bool take(void *ctx, const void *bytes, size_t size)
{
    struct agpu_capture_hold *hold = ctx;

    if (!hold->holding) {
        return hold->write(hold->ctx, bytes, size);
    }
    hold->used++;
    if (hold->overrun || !has_blocks(hold, hold->used + 1)) {
        hold->overrun = true;
        hold->used--;
    }
    hold->encoder.buffer = hold->blocks[hold->used];
    return true;
}

void agpu_capture_hold_reserve(struct agpu_capture_hold *hold)
{
    has_blocks(hold, hold->used + 2);
}

size_t agpu_capture_hold_bytes(size_t case_bytes)
{
    return (case_bytes / BLOCK + 1) * sizeof(uint8_t *);
}

bool agpu_capture_hold_init(struct agpu_capture_hold *hold, void *storage, size_t case_bytes,
                            const struct agpu_capture_heap *heap,
                            bool (*write)(void *ctx, const void *bytes, size_t size), void *ctx)
{
    *hold = (struct agpu_capture_hold){.write = write,
                                       .ctx = ctx,
                                       .heap = *heap,
                                       .blocks = storage,
                                       .capacity = (uint32_t)(case_bytes / BLOCK) + 1};
    if (!has_blocks(hold, hold->used + 1)) {
        return false;
    }
    agpu_capture_encoder_init(&hold->encoder, hold->blocks[0], BLOCK, take, hold);
    if (hold->encoder.failed) {
        agpu_capture_hold_close(hold);
    }
    return !hold->encoder.failed;
}

void agpu_capture_hold_close(struct agpu_capture_hold *hold)
{
    while (hold->count > 0) {
        hold->heap.free(hold->heap.ctx, hold->blocks[--hold->count]);
    }
}

void agpu_capture_hold_begin(struct agpu_capture_hold *hold)
{
    agpu_capture_flush(&hold->encoder);
    hold->kept_number = hold->encoder.block_number;
    hold->kept_records = hold->encoder.records;
    hold->kept_sums = hold->encoder.sums;
    hold->holding = hold->capacity > 1;
    hold->overrun = false;
}

bool agpu_capture_hold_has_room(const struct agpu_capture_hold *hold)
{
    return !hold->holding || (!hold->overrun && hold->used + 2 < hold->capacity);
}

bool agpu_capture_hold_end(struct agpu_capture_hold *hold, bool wanted)
{
    struct agpu_capture_block block;

    agpu_capture_flush(&hold->encoder);
    hold->holding = false;
    wanted = wanted && !hold->overrun;
    if (!wanted) {
        hold->encoder.block_number = hold->kept_number;
        hold->encoder.records = hold->kept_records;
        hold->encoder.sums = hold->kept_sums;
    }
    for (uint32_t i = 0; wanted && !hold->encoder.failed && i < hold->used; i++) {
        memcpy(&block, hold->blocks[i], sizeof block);
        if (!hold->write(hold->ctx, hold->blocks[i], sizeof block + block.size)) {
            hold->encoder.failed = true;
        }
    }
    hold->used = 0;
    hold->encoder.buffer = hold->blocks[0];
    return !hold->encoder.failed;
}
