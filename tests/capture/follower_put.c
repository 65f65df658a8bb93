/* follower_put.c: writes records for a follower. */
#include "tests/capture/follower_put.h"

#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"

/* Reading registers for the record takes at most one part in this many of the time. */
#define REGISTERS_SHARE 256u

void agpu_follower_tick(struct agpu_follower *follower)
{
    follower->now_ns = follower->config.now_ns(follower->config.ctx);
}

static inline void put_at(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t time_ns,
                          const void *structure, uint32_t size, const void *tail, uint32_t tail_size)
{
    if (follower->muted) {
        follower->muted_records++;
        follower->muted_bytes += size + tail_size;
        return;
    }
    follower->config.encoder->function = follower->function;
    agpu_capture_put(follower->config.encoder, type, time_ns, structure, size, tail, tail_size);
}

void agpu_follower_settle(struct agpu_follower *follower)
{
    if (follower->access.count != 0) {
        put_at(follower, AGPU_CAPTURE_ACCESS, follower->access_time_ns, &follower->access,
               sizeof follower->access, NULL, 0);
        follower->access.count = 0;
    }
}

/* For all records but accesses, which must precede them. */
void agpu_follower_put(struct agpu_follower *follower, enum agpu_capture_type type, const void *structure,
                       uint32_t size, const void *tail, uint32_t tail_size)
{
    agpu_follower_settle(follower);
    put_at(follower, type, follower->now_ns, structure, size, tail, tail_size);
}

void agpu_follower_put_text(struct agpu_follower *follower, enum agpu_capture_type type,
                            const void *structure, uint32_t size, const char *text)
{
    const size_t length = strlen(text);

    agpu_follower_put(follower, type, structure, size, text, length < 128 ? (uint32_t)length : 128);
}

void agpu_follower_put_access(struct agpu_follower *follower, const struct agpu_capture_access *access)
{
    struct agpu_capture_access *last = &follower->access;

    if (last->count != 0 && last->count != UINT32_MAX && last->write == 0 && access->write == 0 &&
        last->space == access->space && last->size == access->size && last->offset == access->offset &&
        last->value == access->value) {
        last->count++;
    } else {
        agpu_follower_settle(follower);
        *last = *access;
    }
    follower->access_time_ns = follower->now_ns;
}

void agpu_follower_record_difference(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size)
{
    struct agpu_follower *follower = ctx;
    const struct agpu_capture_bytes recorded = {
        .address = address, .size = size, .flags = follower->recording_flags};

    agpu_follower_put(follower, follower->recording, &recorded, sizeof recorded, bytes, size);
}

void agpu_follower_put_map(struct agpu_follower *follower, enum agpu_capture_type type,
                           const struct agpu_shadow_region *region)
{
    const struct agpu_capture_map map = {
        .address = region->address, .size = region->size, .kind = region->kind, .bar = region->bar};

    agpu_follower_put(follower, type, &map, sizeof map, NULL, 0);
}

void agpu_follower_record_met(void *ctx, const struct agpu_shadow_region *region)
{
    agpu_follower_put_map(ctx, AGPU_CAPTURE_MAP, region);
}

/* Uses a known value instead of another round trip to the device. */
static uint32_t own_read(struct agpu_follower *follower, uint32_t offset)
{
    const bool count = offset == AEROGPU_MMIO_REG_ERROR_COUNT && !follower->legacy;
    uint32_t value;

    if (count && follower->count_stands) {
        return follower->count_seen;
    }
    value = follower->config.register_read(follower->config.ctx, offset);
    if (count) {
        agpu_follower_count_seen(follower, value);
    }
    return value;
}

void agpu_follower_count_seen(struct agpu_follower *follower, uint32_t value)
{
    follower->count_seen = value;
    follower->count_stands = follower->pending_count == 0;
}

void agpu_follower_put_registers(struct agpu_follower *follower, enum agpu_follower_registers which)
{
    struct agpu_capture_register list[6];
    struct agpu_capture_registers head = {0};
    /* The first register of each list is the baseline. */
    const uint32_t versioned[] = {AEROGPU_MMIO_REG_ERROR_COUNT,    AEROGPU_MMIO_REG_IRQ_STATUS,
                                  AEROGPU_MMIO_REG_ERROR_CODE,     AEROGPU_MMIO_REG_ERROR_FENCE_LO,
                                  AEROGPU_MMIO_REG_ERROR_FENCE_HI, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO};
    const uint32_t legacy[] = {AEROGPU_LEGACY_REG_FENCE_COMPLETED, AEROGPU_LEGACY_REG_INT_STATUS};
    const uint32_t *offsets = follower->legacy ? legacy : versioned;
    uint32_t count = which == AGPU_FOLLOWER_BASE ? 1 : follower->legacy ? 2 : 6;
    uint64_t before;
    bool due;

    if (follower->config.register_read == NULL) {
        return;
    }
    agpu_follower_tick(follower);
    before = follower->now_ns;
    due = before >= follower->registers_due_ns;
    if (which == AGPU_FOLLOWER_SOMETIMES && !due) {
        return;
    }
    /* If no BAR responds, the value comes from the machine. */
    if (!follower->decodes) {
        count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct agpu_capture_register){offsets[i], own_read(follower, offsets[i])};
        if (offsets[i] == AEROGPU_MMIO_REG_ERROR_COUNT) {
            if (count > 1 && follower->error_known && list[i].value == follower->error_count) {
                count = which == AGPU_FOLLOWER_COUNTED && !due ? 1 : 2;
            }
            follower->error_count = list[i].value;
            follower->error_known = true;
        }
    }
    if (count != 0) {
        uint64_t due_ns;

        agpu_follower_tick(follower);
        due_ns = follower->now_ns + (follower->now_ns - before) * REGISTERS_SHARE;
        follower->registers_due_ns =
            due_ns > follower->registers_due_ns ? due_ns : follower->registers_due_ns;
    }
    head.count = count;
    agpu_follower_put(follower, AGPU_CAPTURE_REGISTERS, &head, sizeof head, list,
                      count * (uint32_t)sizeof list[0]);
}

void agpu_follower_compare(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                           uint64_t size)
{
    follower->recording = type;
    agpu_shadow_compare(&follower->shadow, address, size);
}

bool agpu_follower_compare_once(struct agpu_follower *follower, enum agpu_capture_type type, uint64_t address,
                                uint64_t size)
{
    const uint64_t hash = (address ^ size << 17) * UINT64_C(0x9E3779B97F4A7C15);
    struct agpu_follower_compared *compared = &follower->compared[hash >> 32 & (AGPU_FOLLOWER_COMPARED - 1)];

    if (compared->moment != follower->moment || compared->address != address || compared->size != size) {
        follower->recording = type;
        *compared =
            (struct agpu_follower_compared){.address = address,
                                            .size = size,
                                            .moment = follower->moment,
                                            .all = agpu_shadow_compare(&follower->shadow, address, size)};
    }
    return compared->all;
}
