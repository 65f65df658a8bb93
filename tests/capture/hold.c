/* hold.c: blocks of a case, in memory. */
#include "tests/capture/hold.h"

#include <string.h>

static bool take(void *ctx, const void *bytes, size_t size)
{
    struct agpu_capture_hold *hold = ctx;

    if (!hold->holding) {
        return hold->write(hold->ctx, bytes, size);
    }
    if (size > hold->capacity - hold->used) {
        return false;
    }
    memcpy(hold->memory + hold->used, bytes, size);
    hold->used += size;
    return true;
}

void agpu_capture_hold_init(struct agpu_capture_hold *hold, void *buffer, size_t buffer_size, void *memory,
                            size_t capacity, bool (*write)(void *ctx, const void *bytes, size_t size),
                            void *ctx)
{
    *hold = (struct agpu_capture_hold){.write = write, .ctx = ctx, .memory = memory, .capacity = capacity};
    agpu_capture_encoder_init(&hold->encoder, buffer, buffer_size, take, hold);
}

void agpu_capture_hold_begin(struct agpu_capture_hold *hold)
{
    agpu_capture_flush(&hold->encoder);
    hold->kept_number = hold->encoder.block_number;
    hold->kept_records = hold->encoder.records;
    hold->kept_sums = hold->encoder.sums;
    hold->holding = hold->capacity != 0;
}

bool agpu_capture_hold_has_room(const struct agpu_capture_hold *hold)
{
    return !hold->holding || hold->capacity - hold->used >= 2 * (size_t)hold->encoder.capacity;
}

bool agpu_capture_hold_end(struct agpu_capture_hold *hold, bool wanted)
{
    struct agpu_capture_block block;
    size_t at = 0;

    agpu_capture_flush(&hold->encoder);
    hold->holding = false;
    if (!wanted) {
        hold->encoder.block_number = hold->kept_number;
        hold->encoder.records = hold->kept_records;
        hold->encoder.sums = hold->kept_sums;
    }
    while (wanted && !hold->encoder.failed && at < hold->used) {
        memcpy(&block, hold->memory + at, sizeof block);
        if (!hold->write(hold->ctx, hold->memory + at, sizeof block + block.size)) {
            hold->encoder.failed = true;
        }
        at += sizeof block + block.size;
    }
    hold->used = 0;
    return !hold->encoder.failed;
}
