/* submit.c: from recorded commands to a ring slot (vidmm.md 6.1-6.4). */
#include <string.h>

#include "mm/kmd/kmd.h"
#include "mm/kmd/stream_scan.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "pci/protocol/aerogpu_pci.h"

/* Room in the ring and in our own queue is checked before a fence number is taken, so that fences have no
 * gap. */
static bool has_room(const struct agpu_kmd *kmd)
{
    return kmd->pending_count < AGPU_VIDMM_WINDOW - 1u && kmd->transport->has_room(kmd->transport->ctx);
}

/* Posts with the next fence number, or with the last one (duplicate), and queues the record. */
static NTSTATUS post(struct agpu_kmd *kmd, struct agpu_submission *submission, struct agpu_pending *pending,
                     bool new_fence, uint64_t now_ns)
{
    struct agpu_fence_number numbers = kmd->numbers;
    uint64_t before = kmd->submitted;
    uint64_t fence = new_fence ? agpu_fence_extend(&numbers, kmd->numbers.previous + 1u) : kmd->submitted;

    submission->fence = pending->fence = fence;
    kmd->submitted = fence; /* published before the doorbell */
    enum agpu_status status = kmd->transport->submit(kmd->transport->ctx, submission);
    if (status != AGPU_OK) {
        kmd->submitted = before;
        if (status == AGPU_ERR_BUSY) {
            return STATUS_PENDING;
        }
        if (status == AGPU_ERR_NO_MEMORY) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        if (status != AGPU_ERR_LOST) {
            return STATUS_INVALID_PARAMETER;
        }
        kmd->removed = true;
        agpu_kmd_reset(kmd, NULL, now_ns);
        return STATUS_DEVICE_REMOVED;
    }
    if (kmd->completed == before) {
        kmd->progress_ns = now_ns; /* the device was idle: its time runs from now */
    }
    kmd->numbers = numbers;
    kmd->pending[(kmd->pending_first + kmd->pending_count++) % AGPU_VIDMM_WINDOW] = *pending;
    agpu_vidmm_submitted(&kmd->vm, fence);
    return STATUS_SUCCESS;
}

/* One NOP: what the kernel driver builds for a paging operation. VidMm has moved the bytes by then (vidmm.md
 * 5). */
struct paging_stream {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_hdr nop;
};

static uint64_t paging_operations(const struct agpu_kmd *kmd)
{
    return kmd->vm.counters.evictions + kmd->vm.counters.page_ins;
}

/* Queues a paging submission when memory moved since the last one, so that the device sees the move in fence
 * order. */
static NTSTATUS tell_paging(struct agpu_kmd *kmd, uint64_t now_ns)
{
    uint64_t operations = paging_operations(kmd);

    if (operations == kmd->paging_told) {
        return STATUS_SUCCESS;
    }
    if (kmd->paging_block == AGPU_SLAB_NONE) {
        static const struct paging_stream stream = {.header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                                                               .abi_version = AEROGPU_ABI_VERSION_U32,
                                                               .size_bytes = sizeof stream},
                                                    .nop = {AEROGPU_CMD_NOP, sizeof stream.nop}};

        kmd->paging_block = agpu_dma_pool_take(&kmd->pool, sizeof stream);
        if (kmd->paging_block == AGPU_SLAB_NONE) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        memcpy(agpu_dma_pool_at(&kmd->pool, kmd->paging_block)->cpu, &stream, sizeof stream);
    }
    struct agpu_submission submission = {.cmd_address =
                                             agpu_dma_pool_at(&kmd->pool, kmd->paging_block)->device_address,
                                         .cmd_size = sizeof(struct paging_stream),
                                         .flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};
    struct agpu_pending pending = {0};
    NTSTATUS status = post(kmd, &submission, &pending, true, now_ns);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    kmd->paging_told = operations;
    kmd->counters.pagings++;
    return has_room(kmd) ? STATUS_SUCCESS : STATUS_PENDING;
}

/* Arguments that have nothing to do with the state of anything (6.1 step 2). *size: bytes to submit. */
static NTSTATUS check_arguments(const struct agpu_kmd *kmd, const struct agpu_kmd_submission *s,
                                uint32_t *size)
{
    if (s->private_data == NULL || s->private_size < sizeof *s->private_data) {
        return STATUS_INVALID_PARAMETER;
    }
    if (s->private_data->Type < AGPU_DMA_PRIV_RENDER || s->private_data->Type > AGPU_DMA_PRIV_PAGING) {
        return STATUS_INVALID_PARAMETER;
    }
    *size = agpu_stream_size(s->stream, s->stream_length);
    return *size == 0 || *size > kmd->config.max_dma_bytes ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

/* Builds the table into a block of the pool; leaves pending->table_block at NONE when the list gives none. */
static NTSTATUS make_table(struct agpu_kmd *kmd, struct agpu_kmd_submission *s,
                           struct agpu_table_build *build, struct agpu_pending *pending)
{
    *build =
        (struct agpu_table_build){.process = s->context->process, .list = s->list, .count = s->list_count};
    if (s->list_count == 0) {
        return STATUS_SUCCESS;
    }
    uint32_t bytes = agpu_table_bytes(s->list_count);
    if (kmd->meta_records >= kmd->config.max_meta_records ||
        kmd->meta_bytes + bytes > kmd->config.max_meta_bytes) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    uint32_t block = agpu_dma_pool_take(&kmd->pool, bytes);
    if (block == AGPU_SLAB_NONE) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    build->memory = agpu_dma_pool_at(&kmd->pool, block)->cpu;
    build->memory_size = bytes;
    NTSTATUS status = agpu_table_build(&kmd->vm, build);
    s->wait_fence = build->wait_fence;
    if (status != STATUS_SUCCESS || build->table_size == 0) {
        agpu_dma_pool_give(&kmd->pool, block);
        return status;
    }
    pending->table_block = block;
    pending->table_bytes = bytes;
    kmd->meta_records++;
    kmd->meta_bytes += bytes;
    return STATUS_SUCCESS;
}

static void drop_table(struct agpu_kmd *kmd, const struct agpu_pending *pending)
{
    if (pending->table_block == AGPU_SLAB_NONE) {
        return;
    }
    agpu_dma_pool_give(&kmd->pool, pending->table_block);
    kmd->meta_records--;
    kmd->meta_bytes -= pending->table_bytes;
}

static void count(struct agpu_kmd *kmd, uint32_t type, const struct agpu_table_build *build)
{
    kmd->counters.submits++;
    kmd->counters.presents += type == AGPU_DMA_PRIV_PRESENT;
    kmd->counters.pagings += type == AGPU_DMA_PRIV_PAGING;
    kmd->counters.tables += build->table_size != 0;
    kmd->counters.table_entries += build->entries;
    kmd->counters.table_readonly += agpu_table_count_readonly(build);
}

NTSTATUS agpu_kmd_submit(struct agpu_kmd *kmd, struct agpu_kmd_submission *s, uint64_t now_ns)
{
    uint32_t size = 0;

    s->fence = s->wait_fence = 0;
    NTSTATUS status = check_arguments(kmd, s, &size);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    agpu_kmd_release_tokens(kmd, now_ns);
    status = s->context->lost != S_OK ? STATUS_DEVICE_REMOVED : agpu_kmd_gate(kmd);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (!has_room(kmd)) {
        return STATUS_PENDING;
    }

    struct agpu_table_build build;
    struct agpu_pending pending = {.context = s->context->id};
    status = make_table(kmd, s, &build, &pending);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (build.table_size == 0 && agpu_stream_needs_table(s->stream, size)) {
        return STATUS_INVALID_PARAMETER;
    }

    status = tell_paging(kmd, now_ns);
    if (status != STATUS_SUCCESS) {
        drop_table(kmd, &pending);
        return status;
    }

    uint32_t type = s->private_data->Type;
    struct agpu_submission submission = {
        .cmd_address = s->stream_address,
        .cmd_size = size,
        .table_address =
            build.table_size != 0 ? agpu_dma_pool_at(&kmd->pool, pending.table_block)->device_address : 0,
        .table_size = build.table_size,
        .table = build.table_size != 0 ? build.memory : NULL,
        .flags = type == AGPU_DMA_PRIV_PRESENT ? AEROGPU_SUBMIT_FLAG_PRESENT : AEROGPU_SUBMIT_FLAG_NONE,
        .context_id = s->context->id,
    };
    status = post(kmd, &submission, &pending, true, now_ns);
    if (status != STATUS_SUCCESS) {
        drop_table(kmd, &pending);
        return status;
    }
    agpu_table_commit(&kmd->vm, &build, pending.fence);
    s->private_data->MetaHandle = build.table_size != 0 ? ++kmd->meta_serial : 0;
    s->context->has_state = true;
    s->context->last_fence = pending.fence;
    s->fence = pending.fence;
    count(kmd, type, &build);
    return STATUS_SUCCESS;
}

/* The kernel driver's own stream: forget one token. */
struct release_stream {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_release_shared_surface packet;
};

void agpu_kmd_release_tokens(struct agpu_kmd *kmd, uint64_t now_ns)
{
    uint64_t token;

    while (kmd->vm.released_first != AGPU_SLAB_NONE) {
        if (agpu_kmd_gate(kmd) != STATUS_SUCCESS) {
            agpu_vidmm_take_released(&kmd->vm,
                                     &token); /* skipped: a device in that state forgets tokens by itself */
            continue;
        }
        uint32_t block = has_room(kmd) ? agpu_dma_pool_take(&kmd->pool, sizeof(struct release_stream)) : 0;
        if (block == AGPU_SLAB_NONE) {
            return;
        }
        agpu_vidmm_take_released(&kmd->vm, &token);
        const struct agpu_dma *dma = agpu_dma_pool_at(&kmd->pool, block);
        struct release_stream stream = {
            .header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                       .abi_version = AEROGPU_ABI_VERSION_U32,
                       .size_bytes = sizeof stream},
            .packet = {.hdr = {AEROGPU_CMD_RELEASE_SHARED_SURFACE, sizeof stream.packet},
                       .share_token = token},
        };
        memcpy(dma->cpu, &stream, sizeof stream);
        struct agpu_submission submission = {.cmd_address = dma->device_address,
                                             .cmd_size = sizeof stream,
                                             .flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};
        struct agpu_pending pending = {.stream_block = block};
        if (post(kmd, &submission, &pending, false, now_ns) != STATUS_SUCCESS) {
            agpu_dma_pool_give(&kmd->pool, block);
        } else {
            kmd->counters.internals++;
        }
    }
}

NTSTATUS agpu_kmd_flush_internal(struct agpu_kmd *kmd, uint64_t now_ns)
{
    if (kmd->pending_count == 0 || kmd->completed < kmd->submitted) {
        return STATUS_SUCCESS;
    }
    if (agpu_kmd_gate(kmd) != STATUS_SUCCESS) {
        return agpu_kmd_gate(kmd);
    }
    if (!has_room(kmd)) {
        return STATUS_PENDING;
    }
    struct agpu_submission submission = {.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};
    struct agpu_pending pending = {0};
    return post(kmd, &submission, &pending, true, now_ns);
}
