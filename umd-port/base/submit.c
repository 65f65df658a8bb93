/* submit.c: cuts the recorded stream into the runtime's DMA buffers and sends them (umd.md 12.3). */
#include "umd-port/base/submit.h"

#include <string.h>

#include "umd-port/base/dma_buffer.h"
#include "umd-port/base/track.h"
#include "umd-port/base/walk.h"

/* A run of whole packets of the recorded stream that goes into one DMA buffer. */
struct submit_chunk {
    const uint8_t *packets;
    uint32_t bytes;
    bool last;
};

/* Forgets what was recorded for this submission. What is bound must be listed again in the next one. */
static void start_next_submission(struct agpu_device *device)
{
    agpu_cmd_rewind(&device->imm.cmd);
    agpu_track_restart(device);
    device->imm.pending = AGPU_PENDING_STATE;
    device->imm.skips_repeats = false; /* tracing may have been switched on */
    device->imm.skipped_topology = AGPU_NO_TOPOLOGY;
}

/* Every staging resource that the submission wrote waits for its fence; without a submission they are dropped. */
static void settle_staging_writes(struct agpu_device *device, bool submitted, uint64_t fence)
{
    while (device->pending_staging != NULL) {
        struct agpu_resource *resource = device->pending_staging;

        agpu_forget_staging_write(resource);
        if (submitted) {
            resource->last_gpu_write_fence = fence;
        }
    }
}

static HRESULT abandon_submission(struct agpu_device *device, HRESULT hr)
{
    device->imm.state_lost = true;
    settle_staging_writes(device, false, 0);
    start_next_submission(device);
    return hr;
}

static uint32_t usable_bytes(const struct agpu_device *device)
{
    const struct agpu_submit_buffers *buffers = &device->buffers;

    return agpu_dma_usable_bytes(buffers->dma, buffers->command, buffers->command_bytes);
}

/* Fills the current buffers with header, packets and list, and sends them. */
static HRESULT send_chunk(struct agpu_device *device, const struct submit_chunk *chunk,
                          const struct agpu_present_args *present, uint64_t *fence)
{
    const struct agpu_submit_buffers *buffers = &device->buffers;
    uint32_t bytes = AGPU_CMD_STREAM_HEADER_BYTES + chunk->bytes;

    present = chunk->last ? present : NULL;
    if (buffers->command == NULL || (device->allocs.count && buffers->list == NULL) ||
        !agpu_dma_priv_init(buffers->priv, buffers->priv_bytes, present != NULL)) {
        return E_FAIL;
    }
    if (bytes > usable_bytes(device) || device->allocs.count > buffers->list_entries) {
        return E_OUTOFMEMORY;
    }

    memcpy(buffers->command, device->imm.cmd.base, AGPU_CMD_STREAM_HEADER_BYTES);
    memcpy((uint8_t *)buffers->command + AGPU_CMD_STREAM_HEADER_BYTES, chunk->packets, chunk->bytes);
    ((struct aerogpu_cmd_stream_header *)buffers->command)->size_bytes = bytes;
    agpu_alloc_list_fill(&device->allocs, buffers->list);

    D3DDDICB_PRESENT args = {
        .Submission =
            {
                .hContext = device->kernel_context,
                .CommandLength = bytes,
                .NumAllocations = device->allocs.count,
            },
    };
    HRESULT hr;
    if (present != NULL && device->callbacks->pfnPresentCb != NULL) {
        args.hSrcAllocation = present->source;
        args.SyncInterval = present->sync_interval;
        hr = device->callbacks->pfnPresentCb(device->runtime.handle, &args);
    } else {
        hr = device->callbacks->pfnRenderCb(device->runtime.handle, &args.Submission);
    }
    if (FAILED(hr)) {
        return hr;
    }
    *fence = args.Submission.NewFenceValue;
    agpu_adopt_new_buffers(device, &args.Submission);
    return S_OK;
}

/* The next run of packets that fits into the current buffer; asks for a larger one when not even one packet
 * does. */
static HRESULT next_chunk(struct agpu_device *device, struct agpu_cmd_walk *walk, struct submit_chunk *chunk)
{
    uint32_t room = usable_bytes(device);

    room = room > AGPU_CMD_STREAM_HEADER_BYTES ? room - AGPU_CMD_STREAM_HEADER_BYTES : 0;
    chunk->packets = walk->next;
    chunk->bytes = 0;
    size_t left = (size_t)(walk->end - walk->next);
    if (left <= room) { /* the usual case: everything fits */
        chunk->bytes = (uint32_t)left;
        walk->next = walk->end;
    }
    bool broken = false;
    while (walk->next != walk->end) {
        struct agpu_cmd_walk ahead = *walk;
        const struct aerogpu_cmd_hdr *packet = agpu_cmd_walk_next(&ahead, &broken);

        if (packet == NULL) {
            return E_FAIL;
        }
        if (packet->size_bytes > room - chunk->bytes) {
            if (chunk->bytes) {
                break;
            }
            uint32_t need = AGPU_CMD_STREAM_HEADER_BYTES + packet->size_bytes;
            if (!agpu_get_larger_buffer(device, need) || usable_bytes(device) < need) {
                return E_OUTOFMEMORY;
            }
            room = usable_bytes(device) - AGPU_CMD_STREAM_HEADER_BYTES;
            continue;
        }
        chunk->bytes += packet->size_bytes;
        *walk = ahead;
    }
    chunk->last = walk->next == walk->end;
    return S_OK;
}

HRESULT agpu_submit(struct agpu_device *device, const struct agpu_present_args *present)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;

    if (device->recorder != NULL) {
        return device->recorder->split(device);
    }
    if (device->list_oom) {
        return abandon_submission(device, E_OUTOFMEMORY);
    }
    if (agpu_cmd_empty(cmd)) { /* also clears a sticky error, which would block the device for ever */
        settle_staging_writes(device, false, 0);
        start_next_submission(device);
        return S_OK;
    }
    /* Bindings outlive submissions, so state bound earlier is referenced by this one too. Running out of
     * slots is no error here: every draw has listed what it uses. */
    if (agpu_track_bound(&device->imm) == AGPU_TRACK_OUT_OF_MEMORY) {
        return abandon_submission(device, E_OUTOFMEMORY);
    }
    agpu_cmd_finalize(cmd);

    uint64_t fence = 0;
    if (device->callbacks->pfnRenderCb == NULL) {
        if (agpu_mode(device) == AGPU_BACKING_WDK) {
            return abandon_submission(device, E_FAIL);
        }
    } else {
        struct agpu_cmd_walk walk;
        struct submit_chunk chunk = {.last = false};

        if (!agpu_cmd_walk_begin(&walk, cmd->base, agpu_cmd_used(cmd))) {
            return abandon_submission(device, E_FAIL);
        }
        while (!chunk.last) {
            HRESULT hr = next_chunk(device, &walk, &chunk);

            if (SUCCEEDED(hr)) {
                hr = send_chunk(device, &chunk, present, &fence);
            }
            if (FAILED(hr)) {
                return abandon_submission(device, hr);
            }
        }
    }
    if (fence) { /* 0: the runtime has no fence for it, so it counts as complete (umd.md 12.3 step 6) */
        device->last_submitted_fence = fence;
    }
    settle_staging_writes(device, true, fence);
    start_next_submission(device);
    return S_OK;
}
