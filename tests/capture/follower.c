/* follower.c: interprets the accesses to follow the ring. */
#include "tests/capture/follower.h"

#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/follower_progress.h"
#include "tests/capture/follower_put.h"
#include "tests/capture/follower_ring.h"

#define CONFIG_COMMAND  4u
#define COMMAND_MEMORY  2u
#define CONFIG_BARS     0x10u
#define CONFIG_BARS_END 0x28u

/* ---- start and end ---- */

size_t agpu_follower_bytes(uint32_t pages)
{
    return agpu_shadow_bytes(pages) + 16 + AGPU_FOLLOWER_PENDING * sizeof(struct agpu_follower_pending) +
           AGPU_FOLLOWER_RANGES * sizeof(struct agpu_follower_range);
}

static const uint8_t *ask_piece(void *ctx, uint64_t address, uint64_t *size)
{
    const struct agpu_follower *follower = ctx;

    return follower->config.piece(follower->config.ctx, address, size);
}

void agpu_follower_init(struct agpu_follower *follower, const struct agpu_follower_config *config)
{
    uint8_t *at = config->storage;

    *follower = (struct agpu_follower){.config = *config, .line = -1};
    follower->pending = (struct agpu_follower_pending *)(void *)at;
    at += AGPU_FOLLOWER_PENDING * sizeof *follower->pending;
    follower->ranges = (struct agpu_follower_range *)(void *)at;
    at += AGPU_FOLLOWER_RANGES * sizeof *follower->ranges;
    agpu_shadow_init(&follower->shadow, at, config->pages, &config->heap);
    follower->shadow.join = AGPU_FOLLOWER_JOIN;
    follower->shadow.record = agpu_follower_record_difference;
    follower->shadow.met = agpu_follower_record_met;
    follower->shadow.piece = config->piece != NULL ? ask_piece : NULL;
    follower->shadow.ctx = follower;
}

void agpu_follower_close(struct agpu_follower *follower)
{
    agpu_shadow_close(&follower->shadow);
}

static bool is_legacy(const uint8_t config[AGPU_CAPTURE_CONFIG_BYTES])
{
    return (config[0] | (uint32_t)config[1] << 8) == AEROGPU_LEGACY_PCI_VENDOR_ID;
}

/* Returns true for dwords of configuration space that a write may have changed: command and status, and the BARs.
 * Each dword is a round trip to the device. */
static bool may_have_changed(uint32_t at)
{
    return at == CONFIG_COMMAND || (at >= CONFIG_BARS && at < CONFIG_BARS_END);
}

static void put_device(struct agpu_follower *follower)
{
    struct agpu_capture_device *device = &follower->device;

    agpu_follower_tick(follower);
    for (uint32_t at = 0; at < AGPU_CAPTURE_CONFIG_BYTES; at += 4) {
        if (!follower->device_known || (follower->config_written && may_have_changed(at))) {
            const uint32_t dword = follower->config.config_read(follower->config.ctx, at);

            memcpy(device->config + at, &dword, sizeof dword);
        }
    }
    follower->device_known = true;
    follower->config_written = false;
    device->view = (uint32_t)follower->config.view;
    follower->legacy = is_legacy(device->config);
    follower->decodes = (device->config[CONFIG_COMMAND] & COMMAND_MEMORY) != 0;
    device->generation = follower->legacy ? AGPU_CAPTURE_LEGACY : AGPU_CAPTURE_VERSIONED;
    agpu_follower_put_text(follower, AGPU_CAPTURE_DEVICE, device, sizeof *device, follower->config.producer);
    follower->started = true;
}

/* Records all existing mappings again, because the reader's knowledge of memory starts from nothing. */
static void put_maps_anew(struct agpu_follower *follower)
{
    agpu_shadow_forget(&follower->shadow);
    if (follower->config.piece != NULL) {
        follower->shadow.region_count = 0; /* they are found again on use */
    }
    for (uint32_t i = 0; i < follower->shadow.region_count; i++) {
        struct agpu_shadow_region *region = &follower->shadow.regions[i];

        if (region->kind == AGPU_CAPTURE_BAR) { /* found again on use */
            agpu_shadow_unmap(&follower->shadow, region->address);
            i--;
            continue;
        }
        region->kind = region->kind == AGPU_CAPTURE_ZEROED ? AGPU_CAPTURE_UNKNOWN : region->kind;
        agpu_follower_put_map(follower, AGPU_CAPTURE_MAP, region);
    }
}

static void forget_pending(struct agpu_follower *follower)
{
    follower->quiet = false;
    follower->pending_count = follower->range_count = 0;
}

static void begin(struct agpu_follower *follower)
{
    forget_pending(follower);
    follower->error_known = false;
    put_maps_anew(follower);
}

static void put_way(struct agpu_follower *follower)
{
    const struct agpu_capture_way way = {.way = (uint32_t)follower->way};

    agpu_follower_put(follower, AGPU_CAPTURE_WAY, &way, sizeof way, NULL, 0);
}

void agpu_follower_case_begin(struct agpu_follower *follower, const char *id, uint32_t index)
{
    const struct agpu_capture_case head = {.index = index};

    put_device(follower);
    agpu_follower_put_text(follower, AGPU_CAPTURE_CASE, &head, sizeof head, id);
    begin(follower);
    if (follower->way != AGPU_CAPTURE_WAY_LINE) {
        put_way(follower);
    }
    agpu_follower_record_reused_ring(follower);
    agpu_follower_put_registers(follower, AGPU_FOLLOWER_BASE);
}

void agpu_follower_begin(struct agpu_follower *follower)
{
    follower->ring_address = follower->fence_address = 0;
    follower->ring_bytes = follower->ring_control = follower->screen_on = 0;
    follower->active = follower->resetting = follower->posted_known = follower->low_read = false;
    follower->page_fence = follower->register_fence = follower->highest_fence = 0;
    follower->config_written = true;
    put_device(follower);
    begin(follower);
}

void agpu_follower_case_end(struct agpu_follower *follower, uint32_t result, const char *name, bool failed)
{
    const struct agpu_capture_case head = {.index = result, .failed = failed};
    const struct agpu_capture_lost lost = {.records = follower->muted_records,
                                           .bytes = follower->muted_bytes};

    agpu_follower_tick(follower);
    if (follower->started) {
        agpu_follower_poll_last(follower);
        agpu_follower_put_registers(follower, failed ? AGPU_FOLLOWER_MOVED : AGPU_FOLLOWER_COUNTED);
    }
    agpu_follower_settle(follower);
    if (follower->muted) {
        follower->muted = false;
        agpu_follower_put_text(follower, AGPU_CAPTURE_LOST, &lost, sizeof lost,
                               "the memory for one case's records was used up");
    }
    agpu_follower_put_text(follower, AGPU_CAPTURE_CASE_END, &head, sizeof head, name);
    follower->started = false;
    follower->muted_records = follower->muted_bytes = 0;
}

void agpu_follower_config_written(struct agpu_follower *follower)
{
    follower->config_written = true;
    follower->count_stands = false;
}

void agpu_follower_note(struct agpu_follower *follower, const char *text)
{
    agpu_follower_tick(follower);
    agpu_follower_put_text(follower, AGPU_CAPTURE_NOTE, NULL, 0, text);
}

void agpu_follower_map(struct agpu_follower *follower, const struct agpu_shadow_region *region)
{
    agpu_follower_tick(follower);
    follower->quiet = false;
    if (agpu_shadow_map(&follower->shadow, region) && follower->started) {
        agpu_follower_put_map(follower, AGPU_CAPTURE_MAP, region);
    }
}

void agpu_follower_unmap(struct agpu_follower *follower, uint64_t address)
{
    const struct agpu_shadow_region *region = agpu_shadow_find(&follower->shadow, address);

    agpu_follower_tick(follower);
    if (region == NULL || region->address != address) {
        return;
    }
    if (follower->started) {
        const struct agpu_shadow_region gone = {.address = region->address, .size = region->size};

        agpu_follower_poll(follower);
        agpu_follower_put_map(follower, AGPU_CAPTURE_UNMAP, &gone);
    }
    agpu_shadow_unmap(&follower->shadow, address);
    follower->quiet = false; /* the words may have been in it */
}

/* ---- accesses ---- */

static uint64_t with_low(uint64_t pair, uint64_t value)
{
    return (pair & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
}

static uint64_t with_high(uint64_t pair, uint64_t value)
{
    return (pair & UINT32_MAX) | value << 32;
}

/* Updates the state of the ring for a write to a register. */
static void note_versioned_write(struct agpu_follower *follower, uint64_t offset, uint64_t value)
{
    switch (offset) {
    case AEROGPU_MMIO_REG_RING_GPA_LO:
        follower->ring_address = with_low(follower->ring_address, value);
        break;
    case AEROGPU_MMIO_REG_RING_GPA_HI:
        follower->ring_address = with_high(follower->ring_address, value);
        break;
    case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
        follower->ring_bytes = (uint32_t)value;
        break;
    case AEROGPU_MMIO_REG_FENCE_GPA_LO:
    case AEROGPU_MMIO_REG_FENCE_GPA_HI:
        /* Fences shown by this page have completed; the next page may hold less. */
        follower->register_fence = agpu_follower_fence_seen(follower);
        follower->fence_address = offset == AEROGPU_MMIO_REG_FENCE_GPA_LO
                                      ? with_low(follower->fence_address, value)
                                      : with_high(follower->fence_address, value);
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO:
        follower->screen_staged = with_low(follower->screen_staged, value);
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI:
        follower->screen_staged = with_high(follower->screen_staged, value);
        follower->screen_address = follower->screen_staged;
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES:
        follower->screen_pitch = (uint32_t)value;
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_HEIGHT:
        follower->screen_height = (uint32_t)value;
        break;
    case AEROGPU_MMIO_REG_SCANOUT0_ENABLE:
        follower->screen_on = (uint32_t)value;
        break;
    case AEROGPU_MMIO_REG_RING_CONTROL:
        follower->ring_control = (uint32_t)value;
        follower->active = (value & AEROGPU_RING_CONTROL_ENABLE) != 0;
        for (uint32_t i = 0; i < follower->pending_count && !follower->active; i++) {
            follower->pending[(follower->pending_first + i) % AGPU_FOLLOWER_PENDING].disabled = true;
        }
        follower->resetting = (value & AEROGPU_RING_CONTROL_RESET) != 0;
        if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
            follower->posted_known = false;
            follower->low_read = false; /* it belongs to a fence before the reset */
            follower->page_fence = follower->register_fence = follower->highest_fence = 0;
        }
        break;
    default:
        return;
    }
}

static void note_legacy_write(struct agpu_follower *follower, uint64_t offset, uint64_t value)
{
    switch (offset) {
    case AEROGPU_LEGACY_REG_RING_BASE_LO:
        follower->ring_address = with_low(follower->ring_address, value);
        break;
    case AEROGPU_LEGACY_REG_RING_BASE_HI:
        follower->ring_address = with_high(follower->ring_address, value);
        break;
    case AEROGPU_LEGACY_REG_RING_ENTRY_COUNT:
        follower->entry_count = (uint32_t)value;
        follower->posted = follower->head = follower->legacy_tail = 0;
        forget_pending(follower);
        break;
    case AEROGPU_LEGACY_REG_RING_HEAD:
        follower->head = (uint32_t)value;
        follower->posted = follower->entry_count != 0 ? follower->head % follower->entry_count : 0;
        break;
    case AEROGPU_LEGACY_REG_RING_TAIL:
        follower->legacy_tail =
            follower->entry_count != 0 ? (uint32_t)value % follower->entry_count : (uint32_t)value;
        break;
    default:
        return;
    }
}

/* Returns the new value of the dword after a write of some of its bytes, for the register pairs that are followed. */
static uint64_t merged(const struct agpu_follower *follower, uint64_t dword, uint32_t shift, uint32_t size,
                       uint64_t value)
{
    const uint64_t mask = ((UINT64_C(1) << size * 8) - 1) << shift;
    uint64_t old = 0;

    if (!follower->legacy) {
        switch (dword) {
        case AEROGPU_MMIO_REG_RING_GPA_LO:
            old = (uint32_t)follower->ring_address;
            break;
        case AEROGPU_MMIO_REG_RING_GPA_HI:
            old = follower->ring_address >> 32;
            break;
        case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
            old = follower->ring_bytes;
            break;
        case AEROGPU_MMIO_REG_FENCE_GPA_LO:
            old = (uint32_t)follower->fence_address;
            break;
        case AEROGPU_MMIO_REG_FENCE_GPA_HI:
            old = follower->fence_address >> 32;
            break;
        default:
            break;
        }
    }
    return (old & ~mask) | (value << shift & mask);
}

static void note_write(struct agpu_follower *follower, uint64_t offset, uint32_t size, uint64_t value)
{
    const uint32_t shift = (uint32_t)(offset % 4) * 8;

    if (size == 8) { /* the bus may split it as well */
        note_write(follower, offset, 4, (uint32_t)value);
        note_write(follower, offset + 4, 4, value >> 32);
        return;
    }
    if (size < 4) {
        value = merged(follower, offset & ~UINT64_C(3), shift, size, value);
    }
    if (follower->legacy) {
        note_legacy_write(follower, offset & ~UINT64_C(3), value);
    } else {
        note_versioned_write(follower, offset & ~UINT64_C(3), value);
    }
}

/* With submissions in flight, changes may be the device's as well as the driver's. */
static void begin_contents(struct agpu_follower *follower)
{
    follower->moment++;
    follower->recording_flags = follower->pending_count != 0 ? AGPU_CAPTURE_MIXED : 0;
    /* Do not record unchanged bytes as the driver's while the device may be about to write them. */
    follower->shadow.join = follower->pending_count != 0 ? 0 : AGPU_FOLLOWER_JOIN;
}

static void end_contents(struct agpu_follower *follower)
{
    follower->recording_flags = 0;
    follower->shadow.join = AGPU_FOLLOWER_JOIN;
}

/* Records memory for the writes by which a driver shows it to the device. */
static void record_memory_for(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint64_t value)
{
    offset &= ~UINT64_C(3);
    begin_contents(follower);
    if (follower->legacy) {
        if (space == 0 && offset == AEROGPU_LEGACY_REG_RING_DOORBELL) {
            agpu_follower_record_legacy_ring(follower);
        }
    } else if (space == 0 && offset == AEROGPU_MMIO_REG_DOORBELL) {
        agpu_follower_record_ring(follower);
    } else if (space == 0 && offset == AEROGPU_MMIO_REG_RING_CONTROL && value != 0) {
        /* A reset drops queued work, and reads head and tail. */
        if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
            while (follower->pending_count != 0) {
                agpu_follower_finish_oldest(follower, AGPU_CAPTURE_CONTENTS);
            }
            agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->ring_address,
                                  follower->ring_address != 0 ? sizeof(struct aerogpu_ring_header) : 0);
            agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->fence_address,
                                  follower->fence_address != 0 ? sizeof(struct aerogpu_fence_page) : 0);
        } else {
            agpu_follower_record_ring(follower);
        }
    } else if (space == AGPU_CAPTURE_CONFIG_SPACE && offset == CONFIG_COMMAND &&
               (follower->ring_control & AEROGPU_RING_CONTROL_ENABLE) != 0) {
        agpu_follower_record_ring(follower);
    }
    end_contents(follower);
}

/* Ring or fence page have moved: their contents are the driver's so far. */
static void record_moved(struct agpu_follower *follower)
{
    begin_contents(follower);
    if (follower->ring_address != 0) {
        agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->ring_address,
                              sizeof(struct aerogpu_ring_header));
    }
    if (follower->fence_address != 0) {
        agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->fence_address,
                              sizeof(struct aerogpu_fence_page));
    }
    end_contents(follower);
}

void agpu_follower_show(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value)
{
    const uint64_t ring = follower->ring_address, fence = follower->fence_address;

    agpu_follower_tick(follower);
    if (follower->started) {
        /* Record earlier progress first: it is not the effect of this write. */
        if (space == 0 && (offset & ~UINT64_C(3)) == AEROGPU_MMIO_REG_DOORBELL) {
            agpu_follower_poll_last(follower);
        } else {
            agpu_follower_poll(follower);
        }
        record_memory_for(follower, space, offset, value);
        if (size > 4 || offset % 4 + size > 4) {
            record_memory_for(follower, space, (offset | 3) + 1, size == 8 ? value >> 32 : value);
        }
    }
    if (space == AGPU_CAPTURE_CONFIG_SPACE && offset == CONFIG_COMMAND) {
        follower->decodes = (value & COMMAND_MEMORY) != 0;
    }
    if (space == 0) {
        note_write(follower, offset, size, value);
    }
    if (follower->started && !follower->legacy &&
        (ring != follower->ring_address || fence != follower->fence_address)) {
        record_moved(follower);
    }
}

void agpu_follower_wrote(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value)
{
    const struct agpu_capture_access access = {.write = 1,
                                               .space = (uint8_t)space,
                                               .size = (uint8_t)size,
                                               .count = 1,
                                               .offset = offset,
                                               .value = value};

    agpu_follower_tick(follower);
    if (follower->started) {
        agpu_follower_put_access(follower, &access);
    }
    follower->quiet = follower->count_stands = false;
}

void agpu_follower_write(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value)
{
    agpu_follower_show(follower, space, offset, size, value);
    agpu_follower_wrote(follower, space, offset, size, value);
}

void agpu_follower_was_accessed(struct agpu_follower *follower, bool write, uint64_t offset, uint32_t size,
                                uint64_t value)
{
    const struct agpu_capture_access access = {
        .write = write, .size = (uint8_t)size, .count = 1, .offset = offset, .value = value};

    agpu_follower_tick(follower);
    follower->quiet = follower->count_stands = false;
    if (follower->started) {
        agpu_follower_put_access(follower, &access);
    }
    if (write) {
        note_write(follower, offset, size, value);
    }
}

/* Uses the low half of a fence alone: the fence must be between the last seen and the last requested one. */
static void note_low_fence(struct agpu_follower *follower, uint32_t low)
{
    const uint64_t seen = agpu_follower_fence_seen(follower);
    const uint64_t fence = seen + (uint32_t)(low - (uint32_t)seen);

    if (follower->highest_fence - seen <= UINT32_MAX && fence <= follower->highest_fence) {
        follower->register_fence = fence;
    }
}

void agpu_follower_read(struct agpu_follower *follower, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value)
{
    const struct agpu_capture_access access = {
        .space = (uint8_t)space, .size = (uint8_t)size, .count = 1, .offset = offset, .value = value};

    agpu_follower_tick(follower);
    follower->quiet = false;
    if (!follower->started) {
        return;
    }
    agpu_follower_put_access(follower, &access);
    if (space != 0 || size != 4) {
        return;
    }
    if (follower->legacy) {
        if (offset == AEROGPU_LEGACY_REG_FENCE_COMPLETED) {
            follower->register_fence = value;
        } else if (offset == AEROGPU_LEGACY_REG_RING_HEAD) {
            follower->head = (uint32_t)value;
        }
    } else if (offset == AEROGPU_MMIO_REG_ERROR_COUNT) {
        agpu_follower_count_seen(follower, (uint32_t)value);
    } else if (offset == AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) {
        follower->read_low = (uint32_t)value;
        follower->low_read = true;
        note_low_fence(follower, follower->read_low);
    } else if (offset == AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) {
        /* Reads of high, low, high: the low half belongs to the high one if both high ones are equal
         * (device.md 4.5). */
        if (follower->low_read && follower->read_high == (uint32_t)value) {
            follower->register_fence = value << 32 | follower->read_low;
        }
        follower->read_high = (uint32_t)value;
        follower->low_read = false;
    }
    agpu_follower_poll(follower);
}

void agpu_follower_way(struct agpu_follower *follower, enum agpu_capture_way_of way)
{
    if (follower->way != way) {
        agpu_follower_tick(follower);
        follower->way = way;
        if (follower->started) {
            put_way(follower);
        }
    }
}

void agpu_follower_line(struct agpu_follower *follower, uint32_t source, bool level)
{
    const struct agpu_capture_line line = {.level = level, .source = source};

    if (!follower->started || (source == 0 && follower->line == (int)level)) {
        return;
    }
    agpu_follower_tick(follower);
    if (source == 0) {
        follower->line = level;
    }
    agpu_follower_put(follower, AGPU_CAPTURE_LINE, &line, sizeof line, NULL, 0);
}
