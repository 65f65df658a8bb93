/* legacy.c: the submission ring of the legacy device: posting, fences, bring-up, emptying, shutdown
 * (legacy.md 2-4). */
#include "ring/legacy.h"

#include "pci/machine/text.h"
#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/legacy_irq.h"
#include "ring/order.h"
#include "ring/protocol/aerogpu_legacy_ring.h"

#include <string.h>

#define DEFAULT_ENTRIES 64u

static uint32_t next_entry_index(const struct agpu_legacy_ring *ring, uint32_t index)
{
    return index + 1 == ring->entry_count ? 0 : index + 1;
}

static uint32_t read_ring_head(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_HEAD);
}

uint32_t agpu_legacy_fence_number(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_LEGACY_REG_FENCE_COMPLETED);
}

static enum agpu_status fence_numbers_used_up(const struct agpu_legacy_ring *ring)
{
    ring->platform->log(ring->platform->ctx, AGPU_LOG_ERROR,
                        "legacy device: expected a fence number below 2^32, found none left; they never wrap "
                        "(legacy.md 3): power-cycle the device");
    return AGPU_ERR_LOST;
}

/* Returns in *number the device's 32-bit number for a fence that is about to be posted. */
static enum agpu_status number_legacy_fence(struct agpu_legacy_ring *ring, uint64_t fence, uint32_t *number)
{
    if (fence == 0) {
        return AGPU_OK; /* *number stays 0, which is never above FENCE_COMPLETED: signals nothing */
    }
    if (!ring->numbered) {
        /* Start above every number that the device has completed or was ever given, so that a late completion cannot be
         * taken for one of this ring. */
        ring->number_base = ring->number_last;
        ring->fence_base = fence - 1;
    } else if (fence <= ring->fence_base) {
        return AGPU_ERR_INVALID;
    }
    if (fence - ring->fence_base > UINT32_MAX - ring->number_base) {
        return fence_numbers_used_up(ring);
    }
    *number = ring->number_base + (uint32_t)(fence - ring->fence_base);
    ring->numbered = true;
    if (*number > ring->number_last) {
        ring->number_last = *number;
    }
    if (fence > ring->last_submitted) {
        ring->last_submitted = fence;
    }
    return AGPU_OK;
}

/* ---- posting ---- */

bool agpu_legacy_has_room(struct agpu_legacy_ring *ring)
{
    if (next_entry_index(ring, ring->tail) != ring->head) {
        return true;
    }
    /* The head is a register, and reading it costs a trip to the device, so read it only when the ring looks full. A
     * head outside the ring (device faulty or gone) leaves the ring full. */
    uint32_t head = read_ring_head(ring->function);

    if (head < ring->entry_count) {
        ring->head = head;
    }
    return next_entry_index(ring, ring->tail) != ring->head;
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

/* Returns memory for a descriptor of size bytes for the entry at the tail; the device has read the previous one. */
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

static bool write_allocation_list(const struct agpu_legacy_submission *submission,
                                  struct aerogpu_legacy_submission_desc_allocation *out)
{
    for (uint32_t i = 0; i < submission->allocation_count; i++) {
        struct agpu_legacy_allocation allocation;

        if (!submission->allocation(submission->list, i, &allocation)) {
            return false;
        }
        out[i] = (struct aerogpu_legacy_submission_desc_allocation){
            .allocation_handle = allocation.alloc_id, /* private; the device does not interpret it */
            .gpa = allocation.address,
            .size_bytes = allocation.size,
            .alloc_id = allocation.alloc_id,
        };
    }
    return true;
}

void agpu_legacy_push(struct agpu_legacy_ring *ring)
{
    ring->tail = next_entry_index(ring, ring->tail);
}

enum agpu_status agpu_legacy_post(struct agpu_legacy_ring *ring,
                                  const struct agpu_legacy_submission *submission)
{
    const uint64_t size =
        sizeof(struct aerogpu_legacy_submission_desc_header) +
        (uint64_t)submission->allocation_count * sizeof(struct aerogpu_legacy_submission_desc_allocation);
    struct aerogpu_legacy_submission_desc_header *header;
    uint64_t address;
    uint32_t number = 0;
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
    if (!write_allocation_list(submission,
                               (struct aerogpu_legacy_submission_desc_allocation *)(header + 1))) {
        return AGPU_ERR_INVALID;
    }
    status = number_legacy_fence(ring, submission->fence, &number);
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
    /* Entries and descriptors must be in memory before the tail and doorbell registers are written. */
    agpu_store_barrier();
    agpu_reg_write(ring->function, AEROGPU_LEGACY_REG_RING_TAIL, ring->tail);
    agpu_reg_write(ring->function, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
}

/* ---- fences ---- */

enum agpu_status agpu_legacy_completed(struct agpu_legacy_ring *ring, uint64_t *out)
{
    uint32_t number = agpu_legacy_fence_number(ring->function);

    if (number == UINT32_MAX && agpu_reg_gone(ring->function)) {
        return AGPU_ERR_LOST;
    }
    if (number < ring->number_seen) {
        return AGPU_ERR_LOST;
    }
    ring->number_seen = number;
    if (ring->numbered && number > ring->number_base) {
        uint64_t fence = ring->fence_base + (number - ring->number_base);

        /* Clamp: waiters must see neither a lower value than before nor one that was never submitted. */
        if (fence > ring->last_submitted) {
            fence = ring->last_submitted;
        }
        if (fence > ring->last_completed) {
            ring->last_completed = fence;
        }
    }
    *out = ring->last_completed;
    return AGPU_OK;
}

enum agpu_status agpu_legacy_wait_fence(struct agpu_legacy_ring *ring, uint64_t fence)
{
    struct agpu_wait wait;
    uint64_t value;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_FENCE);
    do {
        enum agpu_status status = agpu_legacy_completed(ring, &value);

        if (status != AGPU_OK) {
            return status;
        }
        if (value >= fence) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return AGPU_ERR_TIMEOUT;
}

/* ---- bring-up, emptying, shutdown ---- */

static void report_ring_not_empty(const struct agpu_function *function, uint32_t count)
{
    char line[200];

    agpu_format_line(
        line, sizeof line,
        "legacy ring not empty within its timeout; expected RING_ENTRY_COUNT %u, HEAD 0, TAIL 0, "
        "found %u, %u, %u: see legacy.md 2",
        count, agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), read_ring_head(function),
        agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_TAIL));
    function->platform->log(function->platform->ctx, AGPU_LOG_ERROR, line);
}

/* Writes RING_ENTRY_COUNT, which also empties the ring, and waits until the registers show it. */
static enum agpu_status set_entry_count(const struct agpu_function *function, uint32_t count)
{
    struct agpu_wait wait;

    if (agpu_reg_gone(function)) {
        return AGPU_ERR_LOST;
    }
    agpu_reg_write(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, count);
    agpu_wait_begin(&wait, function->platform, AGPU_RELAX_RESET);
    do {
        if (agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT) == count &&
            read_ring_head(function) == 0 && agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_TAIL) == 0) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    if (agpu_reg_gone(function)) {
        return AGPU_ERR_LOST;
    }
    report_ring_not_empty(function, count);
    return AGPU_ERR_TIMEOUT;
}

/* Each half takes effect at once. Writing 0 first, while the ring has no entries, ensures that the device never uses a
 * mixture of two addresses. */
static void program_ring_base(const struct agpu_function *function, uint64_t address)
{
    agpu_reg_write64(function, AEROGPU_LEGACY_REG_RING_BASE_LO, 0);
    agpu_reg_write64(function, AEROGPU_LEGACY_REG_RING_BASE_LO, address);
}

enum agpu_status agpu_legacy_reset(struct agpu_legacy_ring *ring)
{
    const struct agpu_function *function = ring->function;
    enum agpu_status status = set_entry_count(function, 0); /* doorbells are ignored from here on */
    uint32_t number;

    if (status != AGPU_OK) {
        return status;
    }
    memset(ring->entries.cpu, 0, ring->entries.size);
    agpu_store_barrier();
    program_ring_base(function, ring->entries.device_address);
    status = set_entry_count(function, ring->entry_count);
    if (status != AGPU_OK) {
        agpu_reg_write(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0);
        return status;
    }
    agpu_legacy_int_ack(function, UINT32_MAX);
    number = agpu_legacy_fence_number(function);
    ring->number_seen = number;
    if (number > ring->number_last) {
        ring->number_last = number;
    }
    ring->numbered = false;
    ring->head = 0;
    ring->tail = 0;
    ring->last_submitted = 0;
    ring->last_completed = 0;
    return AGPU_OK;
}

static void disable_interrupts(const struct agpu_function *function, uint64_t features)
{
    if (features & AEROGPU_LEGACY_FEATURE_VBLANK) {
        agpu_reg_write(function, AEROGPU_LEGACY_REG_IRQ_ENABLE, 0);
        agpu_reg_write(function, AEROGPU_LEGACY_REG_IRQ_ACK, UINT32_MAX);
    }
    agpu_legacy_int_ack(function, UINT32_MAX);
}

static void disable_scanout(const struct agpu_function *function)
{
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_HEIGHT, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_PITCH, 0);
    agpu_reg_write64(function, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0);
}

enum agpu_status agpu_legacy_quiesce(const struct agpu_function *function, uint64_t features)
{
    enum agpu_status status = set_entry_count(function, 0);
    struct agpu_wait wait;

    if (status != AGPU_OK) {
        return status;
    }
    program_ring_base(function, 0);
    disable_scanout(function);
    disable_interrupts(function, features);
    agpu_wait_begin(&wait, function->platform, AGPU_RELAX_RESET);
    do {
        if (agpu_legacy_int_status(function) == 0) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return agpu_reg_gone(function) ? AGPU_ERR_LOST : AGPU_ERR_TIMEOUT;
}

static void free_legacy_memory(struct agpu_legacy_ring *ring)
{
    const struct agpu_platform *platform = ring->platform;
    uint16_t command = agpu_command_read(ring->function);

    /* A device that did not answer must not read memory that has a new owner by then. */
    agpu_command_write(ring->function, command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    for (uint32_t i = 0; ring->large != NULL && i < ring->entry_count; i++) {
        if (ring->large[i].cpu != NULL) {
            platform->dma_free(platform->ctx, &ring->large[i]);
        }
    }
    platform->heap_free(platform->ctx, ring->large);
    if (ring->descriptors.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->descriptors);
    }
    if (ring->entries.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->entries);
    }
    agpu_command_write(ring->function, command);
    *ring = (struct agpu_legacy_ring){0};
}

enum agpu_status agpu_legacy_start(struct agpu_legacy_ring *ring, const struct agpu_function *function,
                                   uint64_t features, uint32_t entry_count)
{
    const struct agpu_platform *platform = function->platform;
    const struct agpu_pci_ref *ref = &function->found.ref;
    const size_t count = entry_count ? entry_count : DEFAULT_ENTRIES;
    enum agpu_status status = AGPU_ERR_NO_MEMORY;

    *ring = (struct agpu_legacy_ring){0};
    if (count < 2 || count > AGPU_LEGACY_ENTRIES_MAX) {
        return AGPU_ERR_INVALID;
    }
    *ring = (struct agpu_legacy_ring){
        .function = function, .platform = platform, .features = features, .entry_count = (uint32_t)count};

    ring->large = platform->heap_alloc(platform->ctx, count * sizeof *ring->large);
    if (ring->large == NULL) {
        goto fail;
    }
    status = platform->dma_alloc(platform->ctx, ref, count * sizeof(struct aerogpu_legacy_ring_entry_submit),
                                 &ring->entries);
    if (status != AGPU_OK) {
        goto fail;
    }
    status =
        platform->dma_alloc(platform->ctx, ref, count * AGPU_LEGACY_DESCRIPTOR_BYTES, &ring->descriptors);
    if (status != AGPU_OK) {
        goto fail;
    }
    disable_interrupts(function, features);
    status = agpu_legacy_reset(ring);
    if (status != AGPU_OK) {
        goto fail;
    }
    return AGPU_OK;

fail:
    agpu_reg_write(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0);
    program_ring_base(function, 0);
    free_legacy_memory(ring);
    return status;
}

enum agpu_status agpu_legacy_stop(struct agpu_legacy_ring *ring)
{
    enum agpu_status status;

    if (ring->entries.cpu == NULL) {
        return AGPU_OK;
    }
    status = agpu_legacy_quiesce(ring->function, ring->features);
    free_legacy_memory(ring);
    return status;
}
