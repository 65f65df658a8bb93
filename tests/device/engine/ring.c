/* ring.c: the submission ring (ring.md 1, 2; device.md 4.2, 4.3). */
#include "tests/device/engine/ring.h"

#include <stddef.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/errors.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/lifecycle.h"
#include "tests/device/engine/submission.h"
#include "tests/device/engine/trace.h"

#define HEAD_OFFSET offsetof(struct aerogpu_ring_header, head)
#define TAIL_OFFSET offsetof(struct aerogpu_ring_header, tail)

/* Records an error of the ring itself, outside any submission. */
static void ring_error(struct vgpu_engine *engine, uint32_t code)
{
    vgpu_error_record(engine, code, 0);
    vgpu_trace_event(engine->trace, "ring_error", code);
}

/* Sets head to the tail that is in memory now. */
static void drop_entries(struct vgpu_engine *engine, uint64_t ring_gpa)
{
    uint32_t tail;

    vgpu_dma_read(engine->bus, ring_gpa + TAIL_OFFSET, &tail, sizeof tail);
    vgpu_dma_publish32(engine->bus, ring_gpa + HEAD_OFFSET, tail);
}

static bool indices_addressable(uint64_t ring_gpa)
{
    return !vgpu_range_wraps(ring_gpa, TAIL_OFFSET + sizeof(uint32_t));
}

static void reset_memory(struct vgpu_engine *engine)
{
    const uint64_t gpa = engine->ring.gpa;

    engine->ring.reset_memory = false;
    if (gpa != 0) {
        if (indices_addressable(gpa)) {
            drop_entries(engine, gpa);
        } else {
            ring_error(engine, AEROGPU_ERROR_OOB);
        }
    }
    vgpu_fence_write_page(engine);
}

void vgpu_ring_control(struct vgpu_engine *engine, uint32_t value)
{
    struct vgpu_ring *ring = &engine->ring;

    if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
        ring->doorbell = false;
        ring->batch.remaining = 0;
        ring->reset_memory = true;
        vgpu_engine_reset(engine);
        engine->bus->stats.ring_resets++;
        vgpu_trace_event(engine->trace, "ring_reset", 0);
        /* Done at once: otherwise entries posted after this write could be dropped as if posted before it
         * (device.md 4.2 DEV). */
        if (vgpu_bus_master(engine->bus)) {
            engine->fences.page = NULL; /* mappings are valid only within one call */
            reset_memory(engine);
        }
    }
    ring->enabled = (value & AEROGPU_RING_CONTROL_ENABLE) != 0;
}

void vgpu_ring_doorbell(struct vgpu_engine *engine)
{
    engine->bus->stats.doorbells++;
    engine->ring.doorbell = true;
}

bool vgpu_ring_pending(const struct vgpu_engine *engine)
{
    const struct vgpu_ring *ring = &engine->ring;

    if (ring->batch.remaining > 0) { /* a new doorbell waits for the end of the batch */
        return ring->reset_memory || vgpu_fence_has_room(&engine->fences);
    }
    return ring->reset_memory || ring->doorbell;
}

/* Checks the fields of the header against each other and RING_SIZE (ring.md 1). */
static bool header_valid(const struct aerogpu_ring_header *header, uint32_t ring_size)
{
    const uint64_t used = sizeof *header + (uint64_t)header->entry_count * header->entry_stride_bytes;

    return header->magic == AEROGPU_RING_MAGIC && header->abi_version >> 16 == AEROGPU_ABI_MAJOR &&
           header->entry_count != 0 && (header->entry_count & (header->entry_count - 1)) == 0 &&
           header->entry_stride_bytes >= sizeof(struct aerogpu_submit_desc) && used <= header->size_bytes &&
           header->size_bytes <= ring_size;
}

/* Consumes the doorbell: makes the checks of ring.md 2 in their order. */
static void ring_start_batch(struct vgpu_engine *engine)
{
    struct vgpu_ring *ring = &engine->ring;
    struct aerogpu_ring_header header;
    uint32_t pending;

    if (!ring->enabled) {
        return;
    }
    if (ring->gpa == 0 || ring->size_bytes == 0) {
        ring_error(engine, AEROGPU_ERROR_CMD_DECODE);
        return;
    }
    if (vgpu_range_wraps(ring->gpa, sizeof header) || vgpu_range_wraps(ring->gpa, ring->size_bytes)) {
        if (indices_addressable(ring->gpa)) {
            drop_entries(engine, ring->gpa);
        }
        ring_error(engine, AEROGPU_ERROR_OOB);
        return;
    }
    vgpu_dma_read(engine->bus, ring->gpa, &header, sizeof header);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the driver wrote the entries before tail */
    if (!header_valid(&header, ring->size_bytes)) {
        ring_error(engine, AEROGPU_ERROR_CMD_DECODE);
        return;
    }
    pending = header.tail - header.head;
    if (pending > header.entry_count) {
        vgpu_dma_publish32(engine->bus, ring->gpa + HEAD_OFFSET, header.tail);
        ring_error(engine, AEROGPU_ERROR_CMD_DECODE);
        return;
    }
    /* No slot address can wrap: the slots lie inside RING_SIZE, checked above. */
    ring->batch = (struct vgpu_ring_batch){
        .gpa = ring->gpa,
        .head = header.head,
        .remaining = pending,
        .entry_count = header.entry_count,
        .stride = header.entry_stride_bytes,
        .vsync_paces = engine->bus->scanout.surface.enable,
    };
}

static void map_batch(struct vgpu_engine *engine)
{
    struct vgpu_ring *ring = &engine->ring;
    const struct vgpu_ring_batch *batch = &ring->batch;
    const uint64_t span = sizeof(struct aerogpu_ring_header) + (uint64_t)batch->entry_count * batch->stride;

    if (ring->mapped == NULL) {
        ring->mapped = vgpu_dma_map(engine->bus, batch->gpa, span, true);
    }
}

static void ring_read_descriptor(struct vgpu_engine *engine, struct aerogpu_submit_desc *desc)
{
    const struct vgpu_ring_batch *batch = &engine->ring.batch;
    const uint64_t slot = batch->head & (batch->entry_count - 1);
    const uint64_t offset = sizeof(struct aerogpu_ring_header) + slot * batch->stride;

    if (engine->ring.mapped != NULL) {
        memcpy(desc, engine->ring.mapped + offset, sizeof *desc);
        engine->bus->stats.dma_read_bytes += sizeof *desc;
    } else {
        vgpu_dma_read(engine->bus, batch->gpa + offset, desc, sizeof *desc);
    }
}

static void publish_head(struct vgpu_engine *engine)
{
    const struct vgpu_ring *ring = &engine->ring;
    uint8_t *word = ring->mapped == NULL ? NULL : ring->mapped + HEAD_OFFSET;

    if (word != NULL && (uintptr_t)word % _Alignof(uint32_t) == 0) {
        __atomic_store_n((uint32_t *)(void *)word, ring->batch.head, __ATOMIC_RELEASE);
        engine->bus->stats.dma_written_bytes += sizeof ring->batch.head;
    } else {
        vgpu_dma_publish32(engine->bus, ring->batch.gpa + HEAD_OFFSET, ring->batch.head);
    }
}

/* Runs entries until the batch, the budget or the room for fences is used up. */
static void ring_run_batch(struct vgpu_engine *engine)
{
    struct vgpu_ring_batch *batch = &engine->ring.batch;
    struct vgpu_submission *submission = &engine->submission;

    while (batch->remaining > 0 && vgpu_fence_has_room(&engine->fences)) {
        if (!submission->active) {
            if (!vgpu_bus_spend(engine->bus, VGPU_COST_SUBMISSION)) {
                return;
            }
            map_batch(engine);
            ring_read_descriptor(engine, &submission->desc);
            vgpu_trace_begin(engine->trace);
            vgpu_submission_begin(engine, batch->stride);
        }
        if (!vgpu_submission_run(engine)) {
            return;
        }
        batch->head++;
        batch->remaining--;
        publish_head(engine);
        engine->bus->stats.submissions++;
        vgpu_trace_end(engine->trace, &submission->desc, submission->stream.size, submission->table.count,
                       submission->failed ? engine->errors.code : 0);
        vgpu_submission_end(engine, batch->vsync_paces);
    }
}

void vgpu_ring_service(struct vgpu_engine *engine)
{
    struct vgpu_ring *ring = &engine->ring;

    ring->mapped = NULL;
    if (ring->reset_memory) {
        reset_memory(engine);
    }
    ring_run_batch(engine);
    if (ring->batch.remaining == 0 && ring->doorbell) {
        ring->doorbell = false;
        ring->mapped = NULL;
        ring_start_batch(engine);
        ring_run_batch(engine);
    }
}

void vgpu_ring_power_on(struct vgpu_ring *ring)
{
    memset(ring, 0, sizeof *ring);
}

static const struct vgpu_field ring_fields[] = {
    VGPU_FIELD(vgpu_ring, gpa),
    VGPU_FIELD(vgpu_ring, size_bytes),
    VGPU_FIELD(vgpu_ring, enabled),
    VGPU_FIELD(vgpu_ring, doorbell),
    VGPU_FIELD(vgpu_ring, reset_memory),
    VGPU_FIELD(vgpu_ring, batch.gpa),
    VGPU_FIELD(vgpu_ring, batch.head),
    VGPU_FIELD(vgpu_ring, batch.remaining),
    VGPU_FIELD(vgpu_ring, batch.entry_count),
    VGPU_FIELD(vgpu_ring, batch.stride),
    VGPU_FIELD(vgpu_ring, batch.vsync_paces),
};

/* True when ring_start_batch() can have accepted the batch. */
static bool batch_valid(const struct vgpu_ring_batch *given)
{
    const uint64_t used = sizeof(struct aerogpu_ring_header) + (uint64_t)given->entry_count * given->stride;

    return given->remaining == 0 ||
           ((given->entry_count & (given->entry_count - 1)) == 0 && given->remaining <= given->entry_count &&
            given->stride >= sizeof(struct aerogpu_submit_desc) && used <= UINT32_MAX &&
            !vgpu_range_wraps(given->gpa, used));
}

void vgpu_ring_visit(struct vgpu_ring *ring, struct vgpu_archive *archive)
{
    VGPU_ARCHIVE_FIELDS(archive, ring, ring_fields);
    if (!vgpu_archive_expect(archive, batch_valid(&ring->batch), "entries inside the ring")) {
        ring->batch = (struct vgpu_ring_batch){0};
    }
}
