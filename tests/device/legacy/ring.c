/* ring.c: ring and submissions of the legacy device (legacy.md 3, 4). The device skips command bytes
 * (legacy.md 5 DEV): a submission only completes its fence. */
#include "tests/device/legacy/ring.h"

#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/device/bus/dma.h"
#include "tests/device/engine/trace.h"
#include "tests/device/legacy/irq.h"

/* Cost of an entry with its descriptor, in bytes of the work budget. A count near 2^32 keeps the device busy
 * for minutes, over many service points. */
#define ENTRY_COST 256

static bool bus_master(const struct vgpu_legacy *legacy)
{
    return vgpu_bus_master(legacy->bus);
}

void vgpu_legacy_ring_set_entry_count(struct vgpu_legacy *legacy, uint32_t count)
{
    struct vgpu_legacy_ring *ring = &legacy->ring;

    ring->entry_count = count;
    ring->head = 0;
    ring->tail = 0;
    ring->batch.active = false; /* the entries of the old ring are dropped */
}

void vgpu_legacy_ring_doorbell(struct vgpu_legacy *legacy)
{
    legacy->bus->stats.doorbells++;
    if (bus_master(legacy)) { /* otherwise the doorbell is lost */
        legacy->ring.doorbell = true;
    }
}

bool vgpu_legacy_ring_pending(const struct vgpu_legacy *legacy)
{
    return legacy->ring.doorbell || legacy->ring.batch.active;
}

static void legacy_start_batch(struct vgpu_legacy_ring *ring)
{
    if (ring->base == 0 || ring->entry_count == 0) {
        return;
    }
    ring->batch = (struct vgpu_legacy_batch){
        .active = true,
        .base = ring->base,
        .count = ring->entry_count,
        .head = ring->head % ring->entry_count,
        .tail = ring->tail % ring->entry_count,
        .left = ring->entry_count,
    };
}

/* Reads the header of a submission descriptor. Returns false when it is malformed. */
static bool legacy_read_descriptor(struct vgpu_legacy *legacy,
                                   const struct aerogpu_legacy_ring_entry_submit *entry,
                                   struct aerogpu_legacy_submission_desc_header *header)
{
    if (entry->desc_gpa == 0 || entry->desc_size < sizeof *header ||
        vgpu_range_wraps(entry->desc_gpa, sizeof *header)) { /* undefined by the spec: unreadable */
        return false;
    }
    vgpu_dma_read(legacy->bus, entry->desc_gpa, header, sizeof *header);
    return header->version == AEROGPU_LEGACY_SUBMISSION_DESC_VERSION;
}

static void legacy_submit(struct vgpu_legacy *legacy, const struct aerogpu_legacy_ring_entry_submit *entry)
{
    struct aerogpu_legacy_submission_desc_header header;
    const bool good = legacy_read_descriptor(legacy, entry, &header);
    const struct vgpu_trace_legacy trace = {
        .fence = entry->fence,
        .flags = entry->flags,
        .type = good ? header.type : 0,
        .command_bytes = good ? header.dma_buffer_size : 0,
        .allocations = good ? header.allocation_count : 0,
        .malformed = !good,
    };

    legacy->bus->stats.submissions++;
    legacy->bus->stats.malformed += !good;
    vgpu_trace_legacy_submission(legacy->trace, &trace);
    if (entry->fence > legacy->fence_completed) { /* also when malformed; stale fences are ignored */
        legacy->fence_completed = entry->fence;
        legacy->ring.batch.advanced = true;
    }
}

static void run_entry(struct vgpu_legacy *legacy)
{
    struct vgpu_legacy_batch *batch = &legacy->ring.batch;
    struct aerogpu_legacy_ring_entry_submit entry;
    const uint64_t offset = (uint64_t)batch->head * sizeof entry;

    if (!vgpu_range_wraps(batch->base, offset + sizeof entry)) {
        vgpu_dma_read(legacy->bus, batch->base + offset, &entry, sizeof entry);
        if (entry.type == AEROGPU_LEGACY_RING_ENTRY_SUBMIT) {
            legacy_submit(legacy, &entry);
        }
    }
    batch->head = batch->head + 1 == batch->count ? 0 : batch->head + 1;
    batch->left--;
}

static void finish_batch(struct vgpu_legacy *legacy)
{
    struct vgpu_legacy_batch *batch = &legacy->ring.batch;

    batch->active = false;
    legacy->ring.head = batch->head;
    if (batch->advanced) {
        vgpu_legacy_irq_fence(legacy);
    }
}

static void legacy_run_batch(struct vgpu_legacy *legacy)
{
    struct vgpu_legacy_batch *batch = &legacy->ring.batch;

    while (batch->active) {
        if (batch->head == batch->tail || batch->left == 0) {
            finish_batch(legacy);
        } else if (legacy->bus->budget > 0) {
            legacy->bus->budget -= ENTRY_COST;
            run_entry(legacy);
        } else {
            return;
        }
    }
}

void vgpu_legacy_ring_service(struct vgpu_legacy *legacy)
{
    legacy_run_batch(legacy);
    if (!legacy->ring.batch.active && legacy->ring.doorbell) {
        legacy->ring.doorbell = false;
        legacy_start_batch(&legacy->ring);
        legacy_run_batch(legacy);
    }
}
