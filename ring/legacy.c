/* legacy.c: posting into the legacy ring. Bring-up is in legacy_control.c, fences in legacy_fence.c. */
#include "ring/legacy.h"

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/order.h"
#include "ring/protocol/aerogpu_legacy_ring.h"

#include <string.h>

static uint32_t after(const struct agpu_legacy_ring *ring, uint32_t index)
{
    return index + 1 == ring->entry_count ? 0 : index + 1;
}

uint32_t agpu_legacy_head(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_HEAD);
}

bool agpu_legacy_has_room(struct agpu_legacy_ring *ring)
{
    if (after(ring, ring->tail) != ring->head) {
        return true;
    }
    /* The head is a register: a trip to the device, made only when the ring looks full. One outside the ring
     * (a device at fault or gone) leaves it full. */
    uint32_t head = agpu_legacy_head(ring->function);

    if (head < ring->entry_count) {
        ring->head = head;
    }
    return after(ring, ring->tail) != ring->head;
}

enum agpu_status agpu_legacy_wait_room(struct agpu_legacy_ring *ring)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_ROOM);
    do {
        if (agpu_legacy_has_room(ring)) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return agpu_reg_gone(ring->function) ? AGPU_ERR_LOST : AGPU_ERR_TIMEOUT;
}

void *agpu_legacy_entry(const struct agpu_legacy_ring *ring, uint32_t index)
{
    return (struct aerogpu_legacy_ring_entry_submit *)ring->entries.cpu + index;
}

void *agpu_legacy_descriptor(const struct agpu_legacy_ring *ring, uint32_t index, uint64_t *device_address)
{
    const size_t offset = (size_t)index * AGPU_LEGACY_DESCRIPTOR_BYTES;

    *device_address = ring->descriptors.device_address + offset;
    return (uint8_t *)ring->descriptors.cpu + offset;
}

/* Memory for a descriptor of size bytes in the entry at the tail, which the device has long read. */
static void *descriptor_of(struct agpu_legacy_ring *ring, size_t size, uint64_t *device_address)
{
    const struct agpu_platform *platform = ring->platform;
    struct agpu_dma *large = &ring->large[ring->tail];

    if (size <= AGPU_LEGACY_DESCRIPTOR_BYTES) {
        return agpu_legacy_descriptor(ring, ring->tail, device_address);
    }
    if (large->size < size) {
        struct agpu_dma grown;

        if (platform->dma_alloc(platform->ctx, &ring->function->found.ref, size, &grown) != AGPU_OK) {
            return NULL;
        }
        if (large->cpu != NULL) {
            platform->dma_free(platform->ctx, large);
        }
        *large = grown;
    }
    *device_address = large->device_address;
    return large->cpu;
}

static bool write_list(const struct agpu_legacy_submission *submission,
                       struct aerogpu_legacy_submission_desc_allocation *out)
{
    for (uint32_t i = 0; i < submission->allocation_count; i++) {
        struct agpu_legacy_allocation allocation;

        if (!submission->allocation(submission->list, i, &allocation)) {
            return false;
        }
        out[i] = (struct aerogpu_legacy_submission_desc_allocation){
            .allocation_handle = allocation.alloc_id, /* a token of ours that nobody interprets */
            .gpa = allocation.address,
            .size_bytes = allocation.size,
            .alloc_id = allocation.alloc_id,
        };
    }
    return true;
}

void agpu_legacy_push(struct agpu_legacy_ring *ring)
{
    ring->tail = after(ring, ring->tail);
}

enum agpu_status agpu_legacy_post(struct agpu_legacy_ring *ring,
                                  const struct agpu_legacy_submission *submission)
{
    const uint64_t size =
        sizeof(struct aerogpu_legacy_submission_desc_header) +
        (uint64_t)submission->allocation_count * sizeof(struct aerogpu_legacy_submission_desc_allocation);
    struct aerogpu_legacy_submission_desc_header *header;
    uint64_t address;
    uint32_t number;
    enum agpu_status status;

    if ((submission->cmd_address == 0) != (submission->cmd_size == 0) ||
        submission->cmd_address > UINT64_MAX - submission->cmd_size || size > UINT32_MAX) {
        return AGPU_ERR_INVALID;
    }
    if (!agpu_legacy_has_room(ring)) {
        return AGPU_ERR_BUSY;
    }
    header = descriptor_of(ring, size, &address);
    if (header == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    if (!write_list(submission, (struct aerogpu_legacy_submission_desc_allocation *)(header + 1))) {
        return AGPU_ERR_INVALID;
    }
    status = agpu_legacy_number_fence(ring, submission->fence, &number);
    if (status != AGPU_OK) {
        return status;
    }
    *header = (struct aerogpu_legacy_submission_desc_header){
        .version = AEROGPU_LEGACY_SUBMISSION_DESC_VERSION,
        .type = (uint32_t)submission->type,
        .fence = number,
        .dma_buffer_gpa = submission->cmd_address,
        .dma_buffer_size = submission->cmd_size,
        .allocation_count = submission->allocation_count,
    };
    *(struct aerogpu_legacy_ring_entry_submit *)agpu_legacy_entry(ring, ring->tail) =
        (struct aerogpu_legacy_ring_entry_submit){
            .type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT,
            .fence = number,
            .desc_size = (uint32_t)size,
            .desc_gpa = address,
        };
    agpu_legacy_push(ring);
    return AGPU_OK;
}

void agpu_legacy_doorbell(const struct agpu_legacy_ring *ring)
{
    /* Entries and descriptors must be in memory before the device is told of them: both are registers. */
    agpu_store_barrier();
    agpu_reg_write(ring->function, AEROGPU_LEGACY_REG_RING_TAIL, ring->tail);
    agpu_reg_write(ring->function, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
}
