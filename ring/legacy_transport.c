/* legacy_transport.c: the legacy ring as a transport. The memory manager's allocation table becomes the list that the
 * legacy descriptor carries (legacy.md 4). */
#include "ring/legacy_transport.h"

#include "ring/protocol/aerogpu_ring.h"

static bool legacy_table_entry(const void *list, uint32_t index, struct agpu_legacy_allocation *out)
{
    const struct aerogpu_alloc_table_header *header = list;
    const struct aerogpu_alloc_entry *entry = (const struct aerogpu_alloc_entry *)(header + 1) + index;

    /* This descriptor has no place for READONLY, and needs none: the device executes no commands that could violate
     * it. */
    *out = (struct agpu_legacy_allocation){
        .alloc_id = entry->alloc_id, .address = entry->gpa, .size = (uint32_t)entry->size_bytes};
    return entry->size_bytes <= UINT32_MAX;
}

/* Counts the entries of the memory manager's table. Returns false when the table cannot be passed on. */
static bool count_table_entries(const struct agpu_submission *submission, uint32_t *count)
{
    const struct aerogpu_alloc_table_header *header = submission->table;

    *count = 0;
    if (submission->table_size == 0) {
        return true;
    }
    if (header == NULL || submission->table_size < sizeof *header ||
        header->entry_stride_bytes != sizeof(struct aerogpu_alloc_entry) ||
        header->entry_count >
            (submission->table_size - sizeof *header) / sizeof(struct aerogpu_alloc_entry)) {
        return false;
    }
    *count = header->entry_count;
    return true;
}

static enum agpu_legacy_type legacy_type_of(const struct agpu_submission *submission)
{
    if (submission->flags & AEROGPU_SUBMIT_FLAG_PRESENT) {
        return AGPU_LEGACY_PRESENT;
    }
    /* Context ids count from 1; without one the submission is the kernel driver's own housekeeping. */
    return submission->context_id == 0 ? AGPU_LEGACY_PAGING : AGPU_LEGACY_RENDER;
}

static bool legacy_transport_has_room(void *ctx)
{
    return agpu_legacy_has_room(ctx);
}

static enum agpu_status legacy_transport_submit(void *ctx, const struct agpu_submission *submission)
{
    struct agpu_legacy_submission legacy = {
        .type = legacy_type_of(submission),
        .cmd_address = submission->cmd_address,
        .cmd_size = submission->cmd_size,
        .fence = submission->fence,
        .allocation = legacy_table_entry,
        .list = submission->table,
    };
    enum agpu_status status;

    if (!count_table_entries(submission, &legacy.allocation_count)) {
        return AGPU_ERR_INVALID;
    }
    status = agpu_legacy_post(ctx, &legacy);
    if (status == AGPU_OK) {
        agpu_legacy_doorbell(ctx);
    }
    return status;
}

static enum agpu_status legacy_transport_completed(void *ctx, uint64_t *out)
{
    return agpu_legacy_completed(ctx, out);
}

static enum agpu_status legacy_transport_reset(void *ctx)
{
    return agpu_legacy_reset(ctx);
}

struct agpu_transport agpu_legacy_transport(struct agpu_legacy_ring *ring)
{
    return (struct agpu_transport){
        .ctx = ring,
        .has_room = legacy_transport_has_room,
        .submit = legacy_transport_submit,
        .completed_fence = legacy_transport_completed,
        .reset = legacy_transport_reset,
    };
}
