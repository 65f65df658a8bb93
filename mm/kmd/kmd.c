/* kmd.c: the kernel driver's state machine: contexts, submission into the ring, completion, hang detection,
 * reset (vidmm.md 6, 7). */
#include "mm/kmd/kmd.h"

#include "mm/kmd/stream_scan.h"
#include "mm/vidmm/share.h"
#include "mm/vidmm/vidmm.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"

#include <string.h>

#define MAX_DMA_DEFAULT (32u << 20)
#define MAX_DMA_LOWEST  (256u << 10)
#define MAX_DMA_HIGHEST (256u << 20)

/* Returns the 64-bit value of the next 32-bit number. A number smaller than the previous one follows a wrap (vidmm.md
 * 6.3). */
static uint64_t extend_fence(struct agpu_fence_number *state, uint32_t fence32)
{
    if (fence32 < state->previous) {
        state->epoch++;
    }
    state->previous = fence32;
    return (uint64_t)state->epoch << 32 | fence32;
}

/* Clamps a completion report to [completed, submitted]. */
static uint64_t clamp_fence(uint64_t reported, uint64_t completed, uint64_t submitted)
{
    if (reported < completed) {
        return completed;
    }
    return reported > submitted ? submitted : reported;
}

static struct agpu_kmd_config kmd_config_defaults(const struct agpu_kmd_config *config)
{
    struct agpu_kmd_config c = *config;

    if (c.max_dma_bytes == 0) {
        c.max_dma_bytes = MAX_DMA_DEFAULT;
    }
    if (c.max_dma_bytes < MAX_DMA_LOWEST) {
        c.max_dma_bytes = MAX_DMA_LOWEST;
    }
    if (c.max_dma_bytes > MAX_DMA_HIGHEST) {
        c.max_dma_bytes = MAX_DMA_HIGHEST;
    }
    if (c.max_meta_records == 0) {
        c.max_meta_records = 4096;
    }
    if (c.max_meta_bytes == 0) {
        c.max_meta_bytes = 256ull << 20;
    }
    if (c.first_fence == 0) {
        c.first_fence = 1;
    }
    if (c.tdr_timeout_ns == 0) {
        c.tdr_timeout_ns = 2000000000ull;
    }
    if (c.tdr_window_ns == 0) {
        c.tdr_window_ns = 60000000000ull;
    }
    if (c.tdr_limit == 0) {
        c.tdr_limit = 2;
    }
    return c;
}

bool agpu_kmd_init(struct agpu_kmd *kmd, struct agpu_memory *memory, const struct agpu_transport *transport,
                   const struct agpu_kmd_config *config, const struct agpu_vidmm_config *vm_config)
{
    memset(kmd, 0, sizeof *kmd);
    kmd->memory = memory;
    kmd->transport = transport;
    kmd->config = kmd_config_defaults(config);
    kmd->numbers.previous = kmd->config.first_fence - 1u;
    kmd->submitted = kmd->completed = kmd->numbers.previous;
    kmd->next_context = 1;
    kmd->in_d0 = kmd->accepting = true;
    agpu_dma_pool_init(&kmd->pool, memory);
    if (!agpu_vidmm_init(&kmd->vm, memory, vm_config)) {
        return false;
    }
    agpu_vidmm_submitted(&kmd->vm, kmd->submitted);
    agpu_vidmm_complete(&kmd->vm, kmd->completed);
    return true;
}

void agpu_kmd_fini(struct agpu_kmd *kmd)
{
    if (kmd->paging_block != AGPU_SLAB_NONE) {
        agpu_dma_pool_free(&kmd->pool, kmd->paging_block);
    }
    agpu_vidmm_fini(&kmd->vm);
    agpu_dma_pool_fini(&kmd->pool);
}

void agpu_kmd_context_add(struct agpu_kmd *kmd, struct agpu_kmd_context *context, uint16_t process)
{
    *context = (struct agpu_kmd_context){
        .next = kmd->contexts, .id = kmd->next_context++, .process = process, .last_fence = kmd->completed};
    kmd->contexts = context;
}

void agpu_kmd_context_remove(struct agpu_kmd *kmd, struct agpu_kmd_context *context)
{
    for (struct agpu_kmd_context **link = &kmd->contexts; *link != NULL; link = &(*link)->next) {
        if (*link == context) {
            *link = context->next;
            return;
        }
    }
}

/* ---- submission ---- */

/* Checks for room in the ring and in the driver's own queue before a fence number is taken, so that fences have no
 * gap. */
static bool kmd_has_room(const struct agpu_kmd *kmd)
{
    return kmd->pending_count < AGPU_VIDMM_WINDOW && kmd->transport->has_room(kmd->transport->ctx);
}

/* Posts with the next fence number, or with the last one (duplicate), and queues the record. */
static NTSTATUS kmd_post(struct agpu_kmd *kmd, struct agpu_submission *submission,
                         struct agpu_pending *pending, bool new_fence, uint64_t now_ns)
{
    struct agpu_fence_number numbers = kmd->numbers;
    uint64_t before = kmd->submitted;
    uint64_t fence = new_fence ? extend_fence(&numbers, kmd->numbers.previous + 1u) : kmd->submitted;

    if (kmd->vm.segment_count > 1u) { /* CPU writes to the window must arrive before the device is notified */
        agpu_segment_order(&kmd->vm.segments[AGPU_SEGMENT_VRAM - 1u]);
    }
    submission->fence = pending->fence = fence;
    kmd->submitted = fence; /* store it before the doorbell */
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
        agpu_hang_clock_restart(&kmd->hang_clock, now_ns); /* the device was idle: its time starts now */
    }
    kmd->numbers = numbers;
    kmd->pending[(kmd->pending_first + kmd->pending_count++) % AGPU_VIDMM_WINDOW] = *pending;
    agpu_vidmm_submitted(&kmd->vm, fence);
    return STATUS_SUCCESS;
}

/* One NOP: the kernel driver's stream for a paging operation. VidMm has moved the bytes by then (vidmm.md 5). */
struct paging_stream {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_hdr nop;
};

static uint64_t paging_operations(const struct agpu_kmd *kmd)
{
    return kmd->vm.counters.evictions + kmd->vm.counters.page_ins;
}

/* Queues a paging submission when memory has moved since the last one, so that the device sees the move in fence
 * order. */
static NTSTATUS submit_paging(struct agpu_kmd *kmd, uint64_t now_ns)
{
    uint64_t operations = paging_operations(kmd);

    if (operations == kmd->paging_submitted) {
        return STATUS_SUCCESS;
    }
    if (kmd->paging_block == AGPU_SLAB_NONE) {
        static const struct paging_stream stream = {.header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                                                               .abi_version = AEROGPU_ABI_VERSION_U32,
                                                               .size_bytes = sizeof stream},
                                                    .nop = {AEROGPU_CMD_NOP, sizeof stream.nop}};

        kmd->paging_block = agpu_dma_pool_alloc(&kmd->pool, sizeof stream);
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
    NTSTATUS status = kmd_post(kmd, &submission, &pending, true, now_ns);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    kmd->paging_submitted = operations;
    kmd->counters.pagings++;
    return kmd_has_room(kmd) ? STATUS_SUCCESS : STATUS_PENDING;
}

/* Checks the arguments independently of any state (vidmm.md 6.1, step 2). *size: bytes to submit. */
static NTSTATUS check_submission(const struct agpu_kmd *kmd, const struct agpu_kmd_submission *s,
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

/* Builds the table into a block of the pool; leaves pending->table_block at NONE when the list yields no table. */
static NTSTATUS build_alloc_table(struct agpu_kmd *kmd, struct agpu_kmd_submission *s,
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
    uint32_t block = agpu_dma_pool_alloc(&kmd->pool, bytes);
    if (block == AGPU_SLAB_NONE) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    build->memory = agpu_dma_pool_at(&kmd->pool, block)->cpu;
    build->memory_size = bytes;
    NTSTATUS status = agpu_table_build(&kmd->vm, build);
    if (status != STATUS_SUCCESS || build->table_size == 0) {
        agpu_dma_pool_free(&kmd->pool, block);
        return status;
    }
    pending->table_block = block;
    pending->table_bytes = bytes;
    kmd->meta_records++;
    kmd->meta_bytes += bytes;
    return STATUS_SUCCESS;
}

static void free_alloc_table(struct agpu_kmd *kmd, const struct agpu_pending *pending)
{
    if (pending->table_block == AGPU_SLAB_NONE) {
        return;
    }
    agpu_dma_pool_free(&kmd->pool, pending->table_block);
    kmd->meta_records--;
    kmd->meta_bytes -= pending->table_bytes;
}

static void count_submission(struct agpu_kmd *kmd, uint32_t type, const struct agpu_table_build *build)
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

    s->fence = 0;
    NTSTATUS status = check_submission(kmd, s, &size);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    agpu_kmd_release_tokens(kmd, now_ns);
    status = s->context->lost != S_OK ? STATUS_DEVICE_REMOVED : agpu_kmd_gate(kmd);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (!kmd_has_room(kmd)) {
        return STATUS_PENDING;
    }

    struct agpu_table_build build;
    struct agpu_pending pending = {.context = s->context->id};
    status = build_alloc_table(kmd, s, &build, &pending);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (build.table_size == 0 && agpu_stream_needs_table(s->stream, size)) {
        return STATUS_INVALID_PARAMETER;
    }

    status = submit_paging(kmd, now_ns);
    if (status != STATUS_SUCCESS) {
        goto free_table;
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
    status = kmd_post(kmd, &submission, &pending, true, now_ns);
    if (status != STATUS_SUCCESS) {
        goto free_table;
    }
    agpu_table_commit(&kmd->vm, &build, pending.fence);
    s->private_data->MetaHandle = build.table_size != 0 ? ++kmd->meta_serial : 0;
    s->context->has_state = true;
    s->context->last_fence = pending.fence;
    s->fence = pending.fence;
    count_submission(kmd, type, &build);
    return STATUS_SUCCESS;

free_table:
    free_alloc_table(kmd, &pending);
    return status;
}

/* Stream of the kernel driver that releases one token. */
struct release_stream {
    struct aerogpu_cmd_stream_header header;
    struct aerogpu_cmd_release_shared_surface packet;
};

void agpu_kmd_release_tokens(struct agpu_kmd *kmd, uint64_t now_ns)
{
    while (kmd->vm.released_first != AGPU_SLAB_NONE) {
        if (agpu_kmd_gate(kmd) != STATUS_SUCCESS) {
            /* Not submitted: in this state the device drops its tokens by itself. */
            agpu_share_pop_released(&kmd->vm);
            continue;
        }
        uint32_t block =
            kmd_has_room(kmd) ? agpu_dma_pool_alloc(&kmd->pool, sizeof(struct release_stream)) : 0;
        if (block == AGPU_SLAB_NONE) {
            return;
        }
        const uint64_t token = agpu_share_pop_released(&kmd->vm);
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
        if (kmd_post(kmd, &submission, &pending, false, now_ns) != STATUS_SUCCESS) {
            agpu_dma_pool_free(&kmd->pool, block);
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
    if (!kmd_has_room(kmd)) {
        return STATUS_PENDING;
    }
    struct agpu_submission submission = {.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ};
    struct agpu_pending pending = {0};
    return kmd_post(kmd, &submission, &pending, true, now_ns);
}

/* ---- completion, hangs, reset ---- */

static void free_pending(struct agpu_kmd *kmd, const struct agpu_pending *pending)
{
    free_alloc_table(kmd, pending);
    if (pending->stream_block != AGPU_SLAB_NONE) {
        agpu_dma_pool_free(&kmd->pool, pending->stream_block);
    }
}

/* True when the device has read this submission. A stream of the kernel driver itself carries the fence of the
 * submission before it (vidmm.md 3.5), so only a later fence proves that it was read. */
static bool is_pending_done(const struct agpu_kmd *kmd, const struct agpu_pending *pending)
{
    return pending->stream_block != AGPU_SLAB_NONE ? kmd->completed > pending->fence
                                                   : kmd->completed >= pending->fence;
}

static void complete_fences(struct agpu_kmd *kmd, uint64_t fence, uint64_t now_ns)
{
    if (fence == kmd->completed) {
        return;
    }
    kmd->completed = fence;
    agpu_hang_clock_restart(&kmd->hang_clock, now_ns);
    agpu_vidmm_complete(&kmd->vm, fence);
    while (kmd->pending_count != 0 && is_pending_done(kmd, &kmd->pending[kmd->pending_first])) {
        struct agpu_pending *oldest = &kmd->pending[kmd->pending_first];

        kmd->counters.completions += oldest->stream_block == AGPU_SLAB_NONE;
        free_pending(kmd, oldest);
        kmd->pending_first = (kmd->pending_first + 1u) % AGPU_VIDMM_WINDOW;
        kmd->pending_count--;
    }
}

/* Returns the context whose submission hangs the device, NULL when it is one of the kernel driver itself. */
static const struct agpu_kmd_context *find_guilty_context(const struct agpu_kmd *kmd)
{
    for (uint32_t i = 0; i < kmd->pending_count; i++) {
        const struct agpu_pending *pending = &kmd->pending[(kmd->pending_first + i) % AGPU_VIDMM_WINDOW];

        if (pending->fence <= kmd->completed) {
            continue;
        }
        for (const struct agpu_kmd_context *c = kmd->contexts; c != NULL; c = c->next) {
            if (c->id == pending->context) {
                return c;
            }
        }
        return NULL;
    }
    return NULL;
}

/* Counts a hang. Returns true when there were too many within the window. */
static bool count_hang(struct agpu_kmd *kmd, uint64_t now_ns)
{
    const uint32_t slots = sizeof kmd->hang_ns / sizeof kmd->hang_ns[0];

    kmd->hang_ns[kmd->hangs++ % slots] = now_ns;
    uint32_t recent = 0;
    for (uint32_t i = 0; i < slots && i < kmd->hangs; i++) {
        recent += now_ns - kmd->hang_ns[i] <= kmd->config.tdr_window_ns;
    }
    return recent >= kmd->config.tdr_limit;
}

bool agpu_kmd_is_late(struct agpu_kmd *kmd, uint64_t now_ns)
{
    const uint64_t still_ns = agpu_hang_clock_poll(&kmd->hang_clock, now_ns, kmd->config.tdr_timeout_ns);

    return kmd->completed < kmd->submitted && still_ns > kmd->config.tdr_timeout_ns;
}

void agpu_kmd_poll(struct agpu_kmd *kmd, uint64_t now_ns)
{
    uint64_t reported = 0;

    if (kmd->removed) {
        return;
    }
    if (kmd->pending_count != 0) {
        if (kmd->transport->completed_fence(kmd->transport->ctx, &reported) == AGPU_ERR_LOST) {
            kmd->removed = true;
            agpu_kmd_reset(kmd, NULL, now_ns);
            return;
        }
        complete_fences(kmd, clamp_fence(reported, kmd->completed, kmd->submitted), now_ns);
    }
    agpu_kmd_release_tokens(kmd, now_ns);
    if (agpu_kmd_is_late(kmd, now_ns)) {
        kmd->removed = count_hang(kmd, now_ns);
        agpu_kmd_reset(kmd, find_guilty_context(kmd), now_ns);
        agpu_kmd_restart(kmd);
    }
}

bool agpu_kmd_awaits_interrupt(const struct agpu_kmd *kmd)
{
    for (uint32_t i = 0; i < kmd->pending_count; i++) {
        if (kmd->pending[(kmd->pending_first + i) % AGPU_VIDMM_WINDOW].context != 0) {
            return true;
        }
    }
    return false;
}

void agpu_kmd_reset(struct agpu_kmd *kmd, const struct agpu_kmd_context *guilty, uint64_t now_ns)
{
    kmd->accepting = false;
    kmd->counters.resets++;
    kmd->counters.last_reset_ns = now_ns;
    if (kmd->transport->reset(kmd->transport->ctx) != AGPU_OK) {
        kmd->removed = true;
    }
    /* The reset destroys all objects on the device (device.md 4.2), so a context that had any cannot continue even if
     * it is innocent. A context that never submitted loses nothing, unless the device is gone. */
    for (struct agpu_kmd_context *c = kmd->contexts; c != NULL; c = c->next) {
        if (c->lost == S_OK && (c->has_state || kmd->removed)) {
            c->lost = c == guilty ? DXGI_ERROR_DEVICE_HUNG : DXGI_ERROR_DEVICE_RESET;
        }
    }
    /* The device uses no memory any more, so it may be reused from here on. */
    complete_fences(kmd, kmd->submitted, now_ns);
    while (kmd->pending_count != 0) { /* the driver's own streams, whose fence will never complete */
        free_pending(kmd, &kmd->pending[kmd->pending_first]);
        kmd->pending_first = (kmd->pending_first + 1u) % AGPU_VIDMM_WINDOW;
        kmd->pending_count--;
    }
}

void agpu_kmd_restart(struct agpu_kmd *kmd)
{
    if (kmd->removed) {
        return;
    }
    kmd->latched = false;
    kmd->accepting = true;
}

void agpu_kmd_power(struct agpu_kmd *kmd, bool in_d0)
{
    kmd->in_d0 = in_d0;
}
