/* context.c: contexts and their rotating buffers (vidmm.md 6.5), submission, and a context's fence as a synchronisation
 * object. */
#include "mm/runtime/context.h"

#include "mm/runtime/wait.h"
#include "mm/vidmm/vidmm.h"

#include <string.h>

/* Gives the driver the buffers for its next submission: fills the members of a callback's arguments that name a
 * context's current buffers. Their names start with `new`, which is New in Render and Present, otherwise empty. */
#define AGPU_HAND_OUT_BUFFERS(args, new, context)                                                            \
    do {                                                                                                     \
        const struct agpu_runtime *runtime_ = (context)->device->runtime;                                    \
        struct agpu_runtime_buffer *current_ = &(context)->buffers[(context)->current];                      \
                                                                                                             \
        (args)->p##new##DmaBuffer = (args)->p##new##CommandBuffer =                                          \
            agpu_dma_pool_at(&runtime_->kmd.pool, current_->block)->cpu;                                     \
        (args)->new##CommandBufferSize = current_->bytes;                                                    \
        (args)->p##new##AllocationList = current_->list;                                                     \
        (args)->new##AllocationListSize = runtime_->config.allocation_list;                                  \
        (args)->p##new##PatchLocationList = current_->patch;                                                 \
        (args)->new##PatchLocationListSize = 1;                                                              \
        (args)->p##new##DmaBufferPrivateData = current_->private_data;                                       \
        (args)->new##DmaBufferPrivateDataSize = sizeof current_->private_data;                               \
    } while (0)

/* Returns the context of a handle, NULL when this device has no such context. */
static struct agpu_runtime_context *find_context(const struct agpu_runtime_device *device, HANDLE context)
{
    for (struct agpu_runtime_context *c = device->contexts; c != NULL; c = c->next) {
        if (c == context) {
            return c;
        }
    }
    return NULL;
}

static size_t allocation_list_bytes(const struct agpu_runtime *runtime)
{
    return runtime->config.allocation_list * sizeof(D3DDDI_ALLOCATIONLIST);
}

static bool alloc_buffer(struct agpu_runtime *runtime, struct agpu_runtime_buffer *buffer)
{
    buffer->bytes = runtime->config.command_buffer_bytes;
    buffer->list = agpu_memory_alloc(&runtime->memory, allocation_list_bytes(runtime));
    buffer->block = agpu_dma_pool_alloc(&runtime->kmd.pool, buffer->bytes);
    return buffer->list != NULL && buffer->block != AGPU_SLAB_NONE;
}

void agpu_runtime_free_context(struct agpu_runtime_context *context)
{
    struct agpu_runtime_device *device = context->device;
    struct agpu_runtime *runtime = device->runtime;
    uint32_t count = runtime->config.command_buffers;

    for (struct agpu_runtime_context **link = &device->contexts; *link != NULL; link = &(*link)->next) {
        if (*link == context) {
            *link = context->next;
            break;
        }
    }
    /* Its command memory may be reused only after the device has read it. */
    if (agpu_runtime_wait_fence(runtime, context->kmd.last_fence) != STATUS_SUCCESS &&
        runtime->kmd.completed < context->kmd.last_fence) {
        agpu_kmd_reset(&runtime->kmd, &context->kmd,
                       runtime->config.platform->now_ns(runtime->config.platform->ctx));
    }
    for (uint32_t i = 0; context->buffers != NULL && i < count; i++) {
        agpu_memory_free(&runtime->memory, context->buffers[i].list, allocation_list_bytes(runtime));
        if (context->buffers[i].block != AGPU_SLAB_NONE) {
            agpu_dma_pool_free(&runtime->kmd.pool, context->buffers[i].block);
        }
    }
    agpu_memory_free(&runtime->memory, context->buffers, count * sizeof *context->buffers);
    agpu_kmd_context_remove(&runtime->kmd, &context->kmd);
    agpu_memory_free(&runtime->memory, context, sizeof *context);
}

HRESULT agpu_runtime_create_context(HANDLE handle, D3DDDICB_CREATECONTEXT *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;
    uint32_t count = runtime->config.command_buffers;

    if (args == NULL || args->NodeOrdinal != 0 || args->Flags != 0) {
        return E_INVALIDARG;
    }
    if (agpu_kmd_gate(&runtime->kmd) == STATUS_DEVICE_REMOVED) {
        return D3DDDIERR_DEVICEREMOVED;
    }
    struct agpu_runtime_context *context = agpu_memory_alloc(&runtime->memory, sizeof *context);
    if (context == NULL) {
        return E_OUTOFMEMORY;
    }
    agpu_kmd_context_add(&runtime->kmd, &context->kmd, device->process);
    context->device = device;
    context->next = device->contexts;
    device->contexts = context;
    context->buffers = agpu_memory_alloc(&runtime->memory, count * sizeof *context->buffers);
    if (context->buffers == NULL) {
        goto free_context;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!alloc_buffer(runtime, &context->buffers[i])) {
            goto free_context;
        }
    }
    args->hContext = context;
    AGPU_HAND_OUT_BUFFERS(args, , context);
    return S_OK;

free_context:
    agpu_runtime_free_context(context);
    return E_OUTOFMEMORY;
}

HRESULT agpu_runtime_destroy_context(HANDLE handle, const D3DDDICB_DESTROYCONTEXT *args)
{
    struct agpu_runtime_context *context = args == NULL ? NULL : find_context(handle, args->hContext);
    if (context == NULL) {
        return E_INVALIDARG;
    }
    agpu_runtime_free_context(context);
    return S_OK;
}

HRESULT agpu_runtime_get_command_buffer(HANDLE handle, D3DDDICB_GETCOMMANDBUFFER *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;

    struct agpu_runtime_context *context = args == NULL ? NULL : find_context(device, args->hContext);
    if (context == NULL) {
        return E_INVALIDARG;
    }
    struct agpu_runtime_buffer *buffer = &context->buffers[context->current];
    if (args->RequestedSize > runtime->kmd.config.max_dma_bytes) {
        return E_OUTOFMEMORY;
    }
    if (args->RequestedSize > buffer->bytes) {
        uint32_t block = agpu_dma_pool_alloc(&runtime->kmd.pool, args->RequestedSize);

        if (block == AGPU_SLAB_NONE) {
            return E_OUTOFMEMORY;
        }
        agpu_dma_pool_free(&runtime->kmd.pool, buffer->block);
        buffer->block = block;
        buffer->bytes = args->RequestedSize;
    }
    memset(buffer->list, 0, allocation_list_bytes(runtime));
    AGPU_HAND_OUT_BUFFERS(args, , context);
    return S_OK;
}

/* ---- submission (vidmm.md 6) ---- */

/* Repeats the kernel's submission until it is queued or has failed finally. */
static NTSTATUS submit_when_room(struct agpu_runtime *runtime, struct agpu_kmd_submission *submission)
{
    const struct agpu_platform *platform = runtime->config.platform;
    struct agpu_runtime_wait wait;
    bool waiting = false;

    for (;;) {
        NTSTATUS status = agpu_kmd_submit(&runtime->kmd, submission, platform->now_ns(platform->ctx));

        if (status != STATUS_PENDING && !(status == STATUS_INSUFFICIENT_RESOURCES && !waiting)) {
            return status;
        }
        /* A ring or memory that looks full may have become free: poll once, then wait or give up. */
        if (!waiting) {
            agpu_runtime_wait_begin(&wait, runtime, AGPU_RELAX_ROOM);
            waiting = true;
            agpu_runtime_poll_if_busy(runtime);
            continue;
        }
        status = agpu_runtime_wait_again(&wait);
        if (status != STATUS_SUCCESS) {
            return status;
        }
    }
}

/* *queued: set when there was something to submit. */
static HRESULT render_current(struct agpu_runtime_device *device, D3DDDICB_RENDER *args, bool present,
                              bool *queued)
{
    struct agpu_runtime *runtime = device->runtime;
    struct agpu_runtime_context *context = find_context(device, args->hContext);

    *queued = false;
    if (context == NULL) {
        return E_INVALIDARG;
    }
    struct agpu_runtime_buffer *buffer = &context->buffers[context->current];
    if (args->CommandLength > buffer->bytes || args->CommandOffset > buffer->bytes - args->CommandLength ||
        args->CommandOffset % 4u != 0 || args->NumAllocations > runtime->config.allocation_list ||
        args->NumPatchLocations != 0 || args->Flags != 0 || args->BroadcastContextCount != 0) {
        return E_INVALIDARG;
    }
    if (args->CommandLength == 0) { /* nothing recorded: return the same buffers (vidmm.md 6.5) */
        args->NewFenceValue = context->kmd.last_fence;
        AGPU_HAND_OUT_BUFFERS(args, New, context);
        return S_OK;
    }
    /* The next set of buffers must be free before anything is queued, so that a failure changes nothing. */
    uint32_t next = (context->current + 1u) % runtime->config.command_buffers;
    NTSTATUS status = agpu_runtime_wait_fence(runtime, context->buffers[next].fence);
    if (status != STATUS_SUCCESS) {
        return agpu_hresult_from_nt(status, HRESULT_NT_GPU_BUSY);
    }

    const struct agpu_dma *dma = agpu_dma_pool_at(&runtime->kmd.pool, buffer->block);
    AGPU_DMA_PRIV *private_data = (AGPU_DMA_PRIV *)(void *)buffer->private_data;
    if (present) {
        private_data->Type = AGPU_DMA_PRIV_PRESENT;
    }
    struct agpu_kmd_submission submission = {
        .context = &context->kmd,
        .stream = (const uint8_t *)dma->cpu + args->CommandOffset,
        .stream_address = dma->device_address + args->CommandOffset,
        .stream_length = args->CommandLength,
        .list = buffer->list,
        .list_count = args->NumAllocations,
        .private_data = private_data,
        .private_size = sizeof buffer->private_data,
    };
    status = submit_when_room(runtime, &submission);
    if (status != STATUS_SUCCESS) {
        return agpu_hresult_from_nt(status, HRESULT_NT_GPU_BUSY);
    }
    *queued = true;
    buffer->fence = submission.fence;
    args->NewFenceValue = submission.fence;
    memset(buffer->list, 0, args->NumAllocations * sizeof *buffer->list);
    context->current = next;
    memset(context->buffers[next].private_data, 0, sizeof buffer->private_data);
    AGPU_HAND_OUT_BUFFERS(args, New, context);
    return S_OK;
}

HRESULT agpu_runtime_render(HANDLE device, D3DDDICB_RENDER *args)
{
    bool queued;

    return args == NULL ? E_INVALIDARG : render_current(device, args, false, &queued);
}

HRESULT agpu_runtime_present(HANDLE handle, D3DDDICB_PRESENT *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;

    struct agpu_runtime_context *context = args == NULL ? NULL : find_context(device, args->hContext);
    if (context == NULL || args->hDstAllocation != 0 || args->BroadcastContextCount != 0 ||
        args->pSubmission == NULL || args->pSubmission->hContext != args->hContext) {
        return E_INVALIDARG;
    }
    if (args->hSrcAllocation != 0 &&
        !agpu_vidmm_is_valid(&runtime->kmd.vm, device->process, args->hSrcAllocation)) {
        return E_INVALIDARG;
    }
    /* At most present_latency presents may be outstanding, so wait for the oldest of them. */
    uint64_t *oldest = &context->presents[context->next_present];
    NTSTATUS status = agpu_runtime_wait_fence(runtime, *oldest);
    if (status != STATUS_SUCCESS) {
        return agpu_hresult_from_nt(status, HRESULT_NT_GPU_BUSY);
    }
    bool queued;
    HRESULT hr = render_current(device, args->pSubmission, true, &queued);
    if (queued) {
        *oldest = context->kmd.last_fence;
        context->next_present = (context->next_present + 1u) % runtime->config.present_latency;
    }
    return hr;
}

/* ---- the fence as a synchronisation object (umd.md 4) ---- */

HRESULT agpu_runtime_create_sync(HANDLE handle, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *args)
{
    struct agpu_runtime_device *device = handle;

    struct agpu_runtime_context *context = args == NULL ? NULL : find_context(device, args->hContext);
    if (context == NULL || context->sync != 0) {
        return E_INVALIDARG;
    }
    context->sync = ++device->runtime->next_sync;
    args->hSyncObject = context->sync;
    return S_OK;
}

static struct agpu_runtime_context *find_context_of_sync(const struct agpu_runtime_device *device,
                                                         D3DKMT_HANDLE sync)
{
    struct agpu_runtime_context *context = device->contexts;

    while (context != NULL && (sync == 0 || context->sync != sync)) {
        context = context->next;
    }
    return context;
}

HRESULT agpu_runtime_destroy_sync(HANDLE handle, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *args)
{
    struct agpu_runtime_context *context =
        args == NULL ? NULL : find_context_of_sync(handle, args->hSyncObject);

    if (context == NULL) {
        return E_INVALIDARG;
    }
    context->sync = 0;
    return S_OK;
}

HRESULT agpu_runtime_wait_sync(HANDLE handle, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;

    if (args == NULL || args->ObjectCount != 1u) {
        return E_INVALIDARG;
    }
    struct agpu_runtime_context *context = find_context_of_sync(device, args->ObjectHandleArray[0]);
    if (context == NULL || context != args->hContext) {
        return E_INVALIDARG;
    }
    if (args->FenceValue == 0) {
        return S_OK;
    }
    if (runtime->kmd.completed < args->FenceValue) {
        agpu_runtime_poll_if_busy(runtime);
    }
    if (context->kmd.lost != S_OK) {
        return D3DDDIERR_DEVICEREMOVED;
    }
    if (runtime->kmd.completed >= args->FenceValue) {
        return S_OK;
    }
    if (args->Timeout == AGPU_WAIT_POLL) {
        return HRESULT_NT_GPU_BUSY;
    }
    NTSTATUS status = agpu_runtime_wait_fence(runtime, args->FenceValue);
    return agpu_hresult_from_nt(status, HRESULT_NT_GPU_BUSY);
}

HRESULT agpu_runtime_query_fence(HANDLE handle, D3DDDICB_QUERYCOMPLETEDFENCE *args)
{
    struct agpu_runtime_device *device = handle;

    if (args == NULL || find_context(device, args->hContext) == NULL) {
        return E_INVALIDARG;
    }
    agpu_runtime_poll_if_busy(device->runtime);
    args->FenceValue = device->runtime->kmd.completed;
    return S_OK;
}
