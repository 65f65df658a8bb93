/* ring.c: posting into the ring. Bring-up and reset are in ring_control.c. */
#include "ring/ring.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/fence.h"
#include "ring/order.h"

#include <string.h>

static uint8_t *field(const struct agpu_ring *ring, size_t offset)
{
    return (uint8_t *)ring->memory.cpu + offset;
}

static void *slot(const struct agpu_ring *ring, uint32_t index)
{
    size_t number = index & (ring->entry_count - 1);

    return field(ring, sizeof(struct aerogpu_ring_header) + number * ring->entry_stride);
}

struct aerogpu_ring_header *agpu_ring_header(const struct agpu_ring *ring)
{
    return ring->memory.cpu;
}

uint32_t agpu_ring_head(const struct agpu_ring *ring)
{
    return agpu_observe32(field(ring, offsetof(struct aerogpu_ring_header, head)));
}

bool agpu_ring_has_room(const struct agpu_ring *ring)
{
    /* Free-running indices: the difference is right across 2^32. A head that was never ours (corrupt memory)
     * makes the difference large, so the ring looks full, never empty. */
    return ring->tail - agpu_ring_head(ring) < ring->entry_count;
}

enum agpu_status agpu_ring_wait_room(const struct agpu_ring *ring)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_ROOM);
    do {
        if (agpu_ring_has_room(ring)) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return agpu_reg_gone(ring->function) ? AGPU_ERR_LOST : AGPU_ERR_TIMEOUT;
}

enum agpu_status agpu_ring_post_desc(struct agpu_ring *ring, const struct aerogpu_submit_desc *desc)
{
    if (!agpu_ring_has_room(ring)) {
        return AGPU_ERR_BUSY;
    }
    memcpy(slot(ring, ring->tail), desc, sizeof *desc);
    ring->tail++;
    if (desc->signal_fence > ring->last_submitted) {
        ring->last_submitted = desc->signal_fence;
    }
    /* The device may look at the tail at any time, also for an earlier doorbell: descriptor first. */
    agpu_store_barrier();
    agpu_publish32(field(ring, offsetof(struct aerogpu_ring_header, tail)), ring->tail);
    return AGPU_OK;
}

static bool bad_range(uint64_t address, uint32_t size)
{
    return (address == 0) != (size == 0) || address > UINT64_MAX - size;
}

enum agpu_status agpu_ring_describe(const struct agpu_submission *submission, struct aerogpu_submit_desc *out)
{
    if (bad_range(submission->cmd_address, submission->cmd_size) ||
        bad_range(submission->table_address, submission->table_size)) {
        return AGPU_ERR_INVALID;
    }
    *out = (struct aerogpu_submit_desc){
        .desc_size_bytes = sizeof *out,
        .flags = submission->flags,
        .context_id = submission->context_id,
        .engine_id = AEROGPU_ENGINE_0,
        .cmd_gpa = submission->cmd_address,
        .cmd_size_bytes = submission->cmd_size,
        .alloc_table_gpa = submission->table_address,
        .alloc_table_size_bytes = submission->table_size,
        .signal_fence = submission->fence,
    };
    return AGPU_OK;
}

enum agpu_status agpu_ring_post(struct agpu_ring *ring, const struct agpu_submission *submission)
{
    struct aerogpu_submit_desc desc;
    enum agpu_status status = agpu_ring_describe(submission, &desc);

    return status == AGPU_OK ? agpu_ring_post_desc(ring, &desc) : status;
}

void agpu_doorbell(const struct agpu_ring *ring)
{
    /* The tail must be in memory before the device is told to read it. */
    agpu_store_barrier();
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_DOORBELL, 1);
}

static bool transport_has_room(void *ctx)
{
    return agpu_ring_has_room(ctx);
}

static enum agpu_status transport_submit(void *ctx, const struct agpu_submission *submission)
{
    enum agpu_status status = agpu_ring_post(ctx, submission);

    if (status == AGPU_OK) {
        agpu_doorbell(ctx);
    }
    return status;
}

static enum agpu_status transport_completed(void *ctx, uint64_t *out)
{
    return agpu_fence_completed(ctx, out);
}

static enum agpu_status transport_reset(void *ctx)
{
    return agpu_ring_reset(ctx);
}

struct agpu_transport agpu_ring_transport(struct agpu_ring *ring)
{
    return (struct agpu_transport){
        .ctx = ring,
        .has_room = transport_has_room,
        .submit = transport_submit,
        .completed_fence = transport_completed,
        .reset = transport_reset,
    };
}
