/* submit.c: RenderCb and PresentCb: submit the current buffers of a context and turn to the next
 * ones. */
#include "mm/runtime/submit.h"

#include "mm/runtime/context.h"
#include "mm/runtime/wait.h"
#include "mm/vidmm/vidmm.h"

#include <string.h>

/* Repeats the kernel's submission until it is queued or failed for good. */
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
        /* What looks full may be complete already: poll once, then wait or give up. */
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

/* *queued: whether there was anything to submit. */
static HRESULT render_current(struct agpu_runtime_device *device, D3DDDICB_RENDER *args, bool present,
                              bool *queued)
{
    struct agpu_runtime *runtime = device->runtime;
    struct agpu_runtime_context *context = agpu_runtime_find_context(device, args->hContext);

    *queued = false;
    if (context == NULL) {
        return E_INVALIDARG;
    }
    struct agpu_runtime_buffer *buffer = &context->buffers[context->current];
    if (args->CommandLength > buffer->bytes || args->CommandOffset > buffer->bytes - args->CommandLength ||
        args->CommandOffset % 4u != 0 || args->NumAllocations > runtime->config.allocation_list ||
        args->NumPatchLocations != 0) {
        return E_INVALIDARG;
    }
    if (args->CommandLength == 0) { /* nothing recorded: the same set again (vidmm.md 6.5) */
        args->NewFenceValue = context->kmd.last_fence;
        AGPU_HAND_OUT_BUFFERS(args, New, context);
        return S_OK;
    }
    /* The set that comes next must be free before anything is queued, so that a failure leaves all as it
     * was. */
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

    struct agpu_runtime_context *context =
        args == NULL ? NULL : agpu_runtime_find_context(device, args->Submission.hContext);
    if (context == NULL || args->hDstAllocation != 0) {
        return E_INVALIDARG;
    }
    if (args->hSrcAllocation != 0 &&
        !agpu_vidmm_is_valid(&runtime->kmd.vm, device->process, args->hSrcAllocation)) {
        return E_INVALIDARG;
    }
    /* At most three presents are under way: the one three presents ago has to be done first. */
    uint64_t *oldest = &context->presents[context->next_present];
    NTSTATUS status = agpu_runtime_wait_fence(runtime, *oldest);
    if (status != STATUS_SUCCESS) {
        return agpu_hresult_from_nt(status, HRESULT_NT_GPU_BUSY);
    }
    bool queued;
    HRESULT hr = render_current(device, &args->Submission, true, &queued);
    if (queued) {
        *oldest = context->kmd.last_fence;
        context->next_present = (context->next_present + 1u) % AGPU_PRESENT_LATENCY;
    }
    return hr;
}
