/* follower_ring.c: records submissions as the driver posted them, and the memory that they name (ring.md 1, 3, 8,
 * legacy.md 3, 4). */
#include "tests/capture/follower_ring.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/capture/follower_progress.h"
#include "tests/capture/follower_put.h"
#include "tests/capture/submission.h"

/* The largest table that a device must accept (ring.md 8); descriptor and slot are recorded up to their limits. */
#define TABLE_MOST      (16u << 20)
#define DESCRIPTOR_MOST 256u
#define SLOT_MOST       4096u
#define SCREEN_MOST     (64u << 20) /* device.md 4.8 */
/* If memory is found by piece(), without mappings that limit it, an allocation is followed up to this size. */
#define MET_MOST (64u << 20)

/* ---- what a submission names ---- */

/* Adds memory that the newest submission names: records its contents now, and compares it again when the submission
 * has finished. read_only: the device does not write there. */
static bool name_memory(struct agpu_follower *follower, uint64_t address, uint64_t size, bool read_only)
{
    struct agpu_follower_pending *newest =
        &follower->pending[(follower->pending_first + follower->pending_count - 1) % AGPU_FOLLOWER_PENDING];
    bool all, whole = true;

    if (size == 0) {
        return true;
    }
    if (follower->config.piece != NULL && size > MET_MOST) {
        size = MET_MOST;
        whole = false;
    }
    all = agpu_follower_compare_once(follower, AGPU_CAPTURE_CONTENTS, address, size) && whole;
    if (follower->range_count < AGPU_FOLLOWER_RANGES) {
        follower->ranges[(follower->range_first + follower->range_count++) % AGPU_FOLLOWER_RANGES] =
            (struct agpu_follower_range){address, size, read_only};
        newest->range_count++;
    }
    return all;
}

/* Names memory that the device only reads: descriptors, streams, tables. */
static bool name_range(struct agpu_follower *follower, uint64_t address, uint64_t size)
{
    return name_memory(follower, address, size, true);
}

static void name_table(struct agpu_follower *follower, uint64_t address, uint32_t bytes, uint32_t *missing)
{
    struct aerogpu_alloc_table_header header;
    const uint8_t *cpu;

    bytes = bytes < TABLE_MOST ? bytes : TABLE_MOST;
    if (!name_range(follower, address, bytes)) {
        *missing |= AGPU_CAPTURE_NO_TABLE;
    }
    cpu = agpu_shadow_pointer(&follower->shadow, address, bytes);
    if (cpu == NULL || bytes < sizeof header) {
        return;
    }
    memcpy(&header, cpu, sizeof header);
    if (header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        return;
    }
    for (uint64_t i = 0, at = sizeof header;
         i < header.entry_count && at + sizeof(struct aerogpu_alloc_entry) <= bytes;
         i++, at += header.entry_stride_bytes) {
        struct aerogpu_alloc_entry entry;

        memcpy(&entry, cpu + at, sizeof entry);
        if (!name_memory(follower, entry.gpa, entry.size_bytes,
                         (entry.flags & AEROGPU_ALLOC_FLAG_READONLY) != 0)) {
            *missing |= AGPU_CAPTURE_NO_MEMORY;
        }
    }
}

static bool stream_presents(struct agpu_follower *follower, uint64_t address, uint32_t bytes)
{
    const uint8_t *cpu = agpu_shadow_pointer(&follower->shadow, address, bytes);
    uint32_t header[2];
    uint64_t at = sizeof(struct aerogpu_cmd_stream_header);

    while (cpu != NULL && at + sizeof header <= bytes) {
        memcpy(header, cpu + at, sizeof header);
        if (header[0] == AEROGPU_CMD_PRESENT || header[0] == AEROGPU_CMD_PRESENT_EX) {
            return true;
        }
        if (header[1] < sizeof header) {
            return false;
        }
        at += header[1];
    }
    return false;
}

/* A present may write the surface of the screen (device.md 4.8), which no table names. */
static void name_screen(struct agpu_follower *follower, const struct agpu_capture_submission *recorded)
{
    if (follower->screen_on != 0 && follower->screen_address != 0 &&
        ((recorded->flags & AEROGPU_SUBMIT_FLAG_PRESENT) != 0 ||
         stream_presents(follower, recorded->cmd_address, recorded->cmd_bytes))) {
        const uint64_t size = (uint64_t)follower->screen_pitch * follower->screen_height;

        name_memory(follower, follower->screen_address, size < SCREEN_MOST ? size : SCREEN_MOST, false);
    }
}

static void add_pending(struct agpu_follower *follower, uint32_t index)
{
    if (follower->pending_count == AGPU_FOLLOWER_PENDING) {
        agpu_follower_finish_oldest(follower, AGPU_CAPTURE_CHANGED);
    }
    follower->pending[(follower->pending_first + follower->pending_count++) % AGPU_FOLLOWER_PENDING] =
        (struct agpu_follower_pending){.index = index, .number = ++follower->submissions};
}

static void set_pending_fence(struct agpu_follower *follower, uint64_t fence)
{
    follower->highest_fence = fence > follower->highest_fence ? fence : follower->highest_fence;
    follower->pending[(follower->pending_first + follower->pending_count - 1) % AGPU_FOLLOWER_PENDING].fence =
        fence;
}

/* ---- the versioned ring ---- */

static void name_slot(struct agpu_follower *follower, uint64_t address, uint32_t stride, uint32_t index)
{
    const uint8_t *cpu = agpu_shadow_pointer(&follower->shadow, address, sizeof(struct aerogpu_submit_desc));
    struct agpu_capture_submission recorded = {
        .descriptor_address = address, .slot = index, .generation = AGPU_CAPTURE_VERSIONED};
    struct aerogpu_submit_desc desc;
    uint8_t kept[DESCRIPTOR_MOST];
    uint32_t bytes = stride < DESCRIPTOR_MOST ? stride : DESCRIPTOR_MOST;

    add_pending(follower, index);
    name_range(follower, address, stride < SLOT_MOST ? stride : SLOT_MOST);
    recorded.number = follower->submissions;
    if (cpu != NULL) {
        memcpy(&desc, cpu, sizeof desc);
        if (agpu_shadow_pointer(&follower->shadow, address, bytes) == NULL) {
            bytes = sizeof desc;
        }
        memcpy(kept, cpu, bytes);
        recorded = agpu_capture_submission_of(&desc, follower->submissions, index, address, bytes);
        set_pending_fence(follower, desc.signal_fence);
        if (!name_range(follower, desc.cmd_gpa, desc.cmd_size_bytes)) {
            recorded.missing |= AGPU_CAPTURE_NO_STREAM;
        }
        name_table(follower, desc.alloc_table_gpa, desc.alloc_table_size_bytes, &recorded.missing);
        name_screen(follower, &recorded);
    }
    agpu_follower_put(follower, AGPU_CAPTURE_SUBMISSION, &recorded, sizeof recorded, kept,
                      recorded.descriptor_bytes);
}

/* Returns true if a device takes entries from this ring (ring.md 2). For other rings only the memory itself is
 * recorded. */
static bool is_usable(const struct aerogpu_ring_header *header, uint32_t ring_bytes)
{
    return header->magic == AEROGPU_RING_MAGIC && header->abi_version >> 16 == AEROGPU_ABI_MAJOR &&
           header->entry_count != 0 && header->entry_count <= AGPU_FOLLOWER_PENDING &&
           (header->entry_count & (header->entry_count - 1)) == 0 &&
           header->entry_stride_bytes >= sizeof(struct aerogpu_submit_desc) &&
           header->size_bytes <= ring_bytes &&
           sizeof *header + (uint64_t)header->entry_count * header->entry_stride_bytes <= header->size_bytes;
}

/* Returns true if the device has taken entries since the poll, before their doorbell: then the head is the device's. */
static bool has_moved_on(const struct agpu_follower *follower, const struct aerogpu_ring_header *header)
{
    return follower->active && follower->posted_known && follower->head_word != NULL &&
           header->head != follower->head && header->head - follower->head <= header->tail - follower->head;
}

/* Records the header; `header` is a copy from a moment ago. A head that the reader already knows is left out: a
 * working device may change it during the comparison. Recorded as the driver's, it would show the entries as taken
 * before their doorbell. */
static void record_header(struct agpu_follower *follower, const struct aerogpu_ring_header *header)
{
    const uint32_t head = offsetof(struct aerogpu_ring_header, head);
    const bool known = agpu_shadow_has_recorded(&follower->shadow, follower->ring_address + head,
                                                &header->head, sizeof header->head);
    const uint32_t rest = known || has_moved_on(follower, header) ? head + (uint32_t)sizeof header->head : 0;

    if (rest != 0) {
        agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->ring_address, head);
    }
    agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->ring_address + rest,
                          sizeof *header - rest);
}

/* Records the fence page. Its value is the device's if the reader knows it already, or if a posted entry requests it:
 * a working device may change it during the comparison. Everything else there is the driver's. */
static void record_fence_page(struct agpu_follower *follower)
{
    const uint64_t page = follower->fence_address;
    const uint32_t value = offsetof(struct aerogpu_fence_page, completed_fence);
    const uint32_t end = value + (uint32_t)sizeof(uint64_t);
    const uint8_t *cpu = page != 0 ? agpu_shadow_pointer(&follower->shadow, page, end) : NULL;
    uint64_t fence;

    if (page == 0) {
        return;
    }
    if (cpu != NULL && follower->active && page % sizeof fence == 0) {
        fence = agpu_follower_read_fence(cpu + value);
        if ((fence > follower->page_fence && fence <= follower->highest_fence) ||
            agpu_shadow_has_recorded(&follower->shadow, page + value, &fence, sizeof fence)) {
            agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, page, value);
            agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, page + end,
                                  sizeof(struct aerogpu_fence_page) - end);
            return;
        }
    }
    agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, page, sizeof(struct aerogpu_fence_page));
}

/* Records the ring's header, or, if no device takes entries from it, all of it. Slots are recorded as they are
 * posted. Returns false if there are no entries to take. */
static bool record_ring_memory(struct agpu_follower *follower, struct aerogpu_ring_header *header)
{
    const uint8_t *cpu = agpu_shadow_pointer(&follower->shadow, follower->ring_address, sizeof *header);
    bool usable;

    if (cpu == NULL) {
        return false;
    }
    memcpy(header, cpu, sizeof *header);
    usable = is_usable(header, follower->ring_bytes);
    if (usable) {
        record_header(follower, header);
    } else {
        /* Even if it is smaller than a header: a reset accesses head and tail at their offsets (ring.md 2). */
        agpu_follower_compare(follower, AGPU_CAPTURE_CONTENTS, follower->ring_address,
                              follower->ring_bytes > sizeof *header ? follower->ring_bytes : sizeof *header);
    }
    return usable;
}

void agpu_follower_record_ring(struct agpu_follower *follower)
{
    struct aerogpu_ring_header header;

    follower->rest_recorded = false;
    if (!record_ring_memory(follower, &header)) {
        record_fence_page(follower);
        return;
    }
    /* A driver that disables a ring may continue at another index: then the head is not where the device left it. A
     * device drops entries of an invalid ring. But entries that a working device takes before their doorbell were
     * posted normally. */
    if (!follower->posted_known || header.tail - follower->posted > header.entry_count ||
        (!follower->active && header.head != follower->head)) {
        follower->posted = header.tail - header.head <= header.entry_count ? header.head : header.tail;
        follower->posted_known = true;
    }
    while (follower->posted != header.tail) {
        const uint64_t slot = follower->posted & (header.entry_count - 1);

        name_slot(follower, follower->ring_address + sizeof header + slot * header.entry_stride_bytes,
                  header.entry_stride_bytes, follower->posted);
        follower->posted++;
    }
    record_fence_page(follower); /* after the slots, which determine the possible fences */
}

static void put_earlier_write(struct agpu_follower *follower, uint64_t offset, uint64_t value)
{
    const struct agpu_capture_access access = {.write = 1,
                                               .size = 4,
                                               .flags = AGPU_CAPTURE_EARLIER,
                                               .count = 1,
                                               .offset = offset,
                                               .value = (uint32_t)value};

    agpu_follower_put_access(follower, &access);
}

void agpu_follower_record_reused_ring(struct agpu_follower *follower)
{
    const uint64_t ring = follower->ring_address, fence = follower->fence_address;
    struct aerogpu_ring_header header;

    if (follower->legacy || (follower->ring_control & AEROGPU_RING_CONTROL_ENABLE) == 0) {
        return;
    }
    record_ring_memory(follower, &header);
    record_fence_page(follower);
    put_earlier_write(follower, AEROGPU_MMIO_REG_RING_GPA_LO, ring);
    put_earlier_write(follower, AEROGPU_MMIO_REG_RING_GPA_HI, ring >> 32);
    put_earlier_write(follower, AEROGPU_MMIO_REG_RING_SIZE_BYTES, follower->ring_bytes);
    put_earlier_write(follower, AEROGPU_MMIO_REG_FENCE_GPA_LO, fence);
    put_earlier_write(follower, AEROGPU_MMIO_REG_FENCE_GPA_HI, fence >> 32);
    put_earlier_write(follower, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    put_earlier_write(follower, AEROGPU_MMIO_REG_RING_CONTROL, follower->ring_control);
}

/* ---- the legacy ring (legacy.md 3, 4) ---- */

static void name_legacy_entry(struct agpu_follower *follower, uint64_t address, uint32_t index)
{
    struct agpu_capture_submission recorded = {
        .descriptor_address = address, .slot = index, .generation = AGPU_CAPTURE_LEGACY};
    struct aerogpu_legacy_ring_entry_submit entry = {0};
    struct aerogpu_legacy_submission_desc_header header;
    const uint8_t *cpu = agpu_shadow_pointer(&follower->shadow, address, sizeof entry);
    uint8_t kept[DESCRIPTOR_MOST];

    add_pending(follower, index);
    recorded.number = follower->submissions;
    name_range(follower, address, sizeof entry);
    if (cpu != NULL) {
        memcpy(&entry, cpu, sizeof entry);
    }
    recorded.fence = entry.fence;
    set_pending_fence(follower, entry.fence);
    if (entry.desc_size >= sizeof header && entry.desc_size <= TABLE_MOST) {
        name_range(follower, entry.desc_gpa, entry.desc_size);
        cpu = agpu_shadow_pointer(&follower->shadow, entry.desc_gpa, entry.desc_size);
        if (cpu != NULL) {
            memcpy(&header, cpu, sizeof header);
            recorded.descriptor_address = entry.desc_gpa;
            recorded.descriptor_bytes = entry.desc_size < DESCRIPTOR_MOST ? entry.desc_size : DESCRIPTOR_MOST;
            memcpy(kept, cpu, recorded.descriptor_bytes);
            recorded.cmd_address = header.dma_buffer_gpa;
            recorded.cmd_bytes = header.dma_buffer_size;
            recorded.flags = header.type;
            if (!name_range(follower, header.dma_buffer_gpa, header.dma_buffer_size)) {
                recorded.missing |= AGPU_CAPTURE_NO_STREAM;
            }
        }
    }
    agpu_follower_put(follower, AGPU_CAPTURE_SUBMISSION, &recorded, sizeof recorded, kept,
                      recorded.descriptor_bytes);
}

void agpu_follower_record_legacy_ring(struct agpu_follower *follower)
{
    for (uint32_t i = 0;
         follower->entry_count != 0 && follower->posted != follower->legacy_tail && i < AGPU_FOLLOWER_PENDING;
         i++) {
        name_legacy_entry(follower,
                          follower->ring_address +
                              (uint64_t)follower->posted * sizeof(union aerogpu_legacy_ring_entry),
                          follower->posted);
        follower->posted = follower->posted + 1 == follower->entry_count ? 0 : follower->posted + 1;
    }
}
