#include "mm/kmd/kmd.h"

#include <string.h>

#define MAX_DMA_DEFAULT (32u << 20)
#define MAX_DMA_LOWEST  (256u << 10)
#define MAX_DMA_HIGHEST (256u << 20)

static struct agpu_kmd_config with_defaults(const struct agpu_kmd_config *config)
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
    kmd->config = with_defaults(config);
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
        agpu_dma_pool_give(&kmd->pool, kmd->paging_block);
    }
    agpu_vidmm_fini(&kmd->vm);
    agpu_dma_pool_fini(&kmd->pool);
    memset(kmd, 0, sizeof *kmd);
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

NTSTATUS agpu_kmd_gate(const struct agpu_kmd *kmd)
{
    if (kmd->removed || kmd->latched) {
        return STATUS_DEVICE_REMOVED;
    }
    return kmd->in_d0 && kmd->accepting ? STATUS_SUCCESS : STATUS_DEVICE_NOT_READY;
}

bool agpu_kmd_idle(const struct agpu_kmd *kmd)
{
    return kmd->pending_count == 0;
}

static void free_pending(struct agpu_kmd *kmd, const struct agpu_pending *pending)
{
    if (pending->table_block != AGPU_SLAB_NONE) {
        agpu_dma_pool_give(&kmd->pool, pending->table_block);
        kmd->meta_bytes -= pending->table_bytes;
        kmd->meta_records--;
    }
    if (pending->stream_block != AGPU_SLAB_NONE) {
        agpu_dma_pool_give(&kmd->pool, pending->stream_block);
    }
}

/* A stream of our own goes with the fence of the submission before it (vidmm.md 3.5), so that this fence says
 * nothing about it: only a later one does. */
static bool is_done(const struct agpu_kmd *kmd, const struct agpu_pending *pending)
{
    return pending->stream_block != AGPU_SLAB_NONE ? kmd->completed > pending->fence
                                                   : kmd->completed >= pending->fence;
}

static void complete(struct agpu_kmd *kmd, uint64_t fence, uint64_t now_ns)
{
    if (fence == kmd->completed) {
        return;
    }
    kmd->completed = fence;
    kmd->progress_ns = now_ns;
    agpu_vidmm_complete(&kmd->vm, fence);
    while (kmd->pending_count != 0 && is_done(kmd, &kmd->pending[kmd->pending_first])) {
        struct agpu_pending *oldest = &kmd->pending[kmd->pending_first];

        kmd->counters.completions += oldest->stream_block == AGPU_SLAB_NONE;
        free_pending(kmd, oldest);
        kmd->pending_first = (kmd->pending_first + 1u) % AGPU_VIDMM_WINDOW;
        kmd->pending_count--;
    }
}

/* The context whose submission the device is stuck in, NULL for one of our own. */
static const struct agpu_kmd_context *oldest_context(const struct agpu_kmd *kmd)
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

/* Counts a hang; true when there were too many within the window. */
static bool too_many_hangs(struct agpu_kmd *kmd, uint64_t now_ns)
{
    const uint32_t slots = sizeof kmd->hang_ns / sizeof kmd->hang_ns[0];

    kmd->hang_ns[kmd->hangs++ % slots] = now_ns;
    uint32_t recent = 0;
    for (uint32_t i = 0; i < slots && i < kmd->hangs; i++) {
        recent += now_ns - kmd->hang_ns[i] <= kmd->config.tdr_window_ns;
    }
    return recent >= kmd->config.tdr_limit;
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
        complete(kmd, agpu_fence_clamp(reported, kmd->completed, kmd->submitted), now_ns);
    }
    agpu_kmd_release_tokens(kmd, now_ns);
    if (kmd->completed < kmd->submitted && now_ns - kmd->progress_ns > kmd->config.tdr_timeout_ns) {
        kmd->removed = too_many_hangs(kmd, now_ns);
        agpu_kmd_reset(kmd, oldest_context(kmd), now_ns);
        agpu_kmd_restart(kmd);
    }
}

void agpu_kmd_reset(struct agpu_kmd *kmd, const struct agpu_kmd_context *guilty, uint64_t now_ns)
{
    kmd->accepting = false;
    /* Objects on the device are gone with the reset (device.md 4.2), so a context that had any cannot go on
     * even if it is innocent; one that never submitted has nothing to lose. */
    for (struct agpu_kmd_context *c = kmd->contexts; c != NULL; c = c->next) {
        if (c->lost != S_OK) {
            continue;
        }
        if (kmd->removed) {
            c->lost = DXGI_ERROR_DEVICE_REMOVED;
        } else if (c == guilty) {
            c->lost = DXGI_ERROR_DEVICE_HUNG;
        } else if (c->has_state) {
            c->lost = DXGI_ERROR_DEVICE_RESET;
        }
    }
    kmd->counters.resets++;
    kmd->counters.last_reset_ns = now_ns;
    if (kmd->transport->reset(kmd->transport->ctx) != AGPU_OK) {
        kmd->removed = true;
        for (struct agpu_kmd_context *c = kmd->contexts; c != NULL; c = c->next) {
            c->lost = c->lost == S_OK ? DXGI_ERROR_DEVICE_REMOVED : c->lost;
        }
    }
    /* The device has let go of everything: only now memory may be used again. */
    complete(kmd, kmd->submitted, now_ns);
    while (kmd->pending_count != 0) { /* streams of our own, which wait for a fence that will not come */
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
