/* submit.c: the kernel context, its buffers, and cutting the recorded stream into them (umd.md 4, 12.3). */
#include "umd-port/base/submit.h"

#include <string.h>

#include "umd-port/base/lost.h"
#include "umd-port/base/removal.h"
#include "umd-port/base/track.h"
#include "umd-port/base/walk.h"

/* The set of buffers in a callback's args, whose members start with p and prefix. */
#define BUFFERS_OF(args, prefix)                                                                             \
    ((struct agpu_submit_buffers){                                                                           \
        .dma = (args)->p##prefix##DmaBuffer,                                                                 \
        .command = (args)->p##prefix##CommandBuffer,                                                         \
        .list = (args)->p##prefix##AllocationList,                                                           \
        .patches = (args)->p##prefix##PatchLocationList,                                                     \
        .priv = (args)->p##prefix##DmaBufferPrivateData,                                                     \
        .command_bytes = (args)->prefix##CommandBufferSize,                                                  \
        .list_entries = (args)->prefix##AllocationListSize,                                                  \
        .patch_entries = (args)->prefix##PatchLocationListSize,                                              \
        .priv_bytes = (args)->prefix##DmaBufferPrivateDataSize,                                              \
    })

uint32_t agpu_dma_usable_bytes(const void *dma, const void *command, uint32_t size)
{
    uintptr_t base = (uintptr_t)dma, at = (uintptr_t)command;

    if (dma == NULL || command == NULL || at < base || at - base > size) {
        return size;
    }
    return size - (uint32_t)(at - base);
}

uint32_t agpu_dma_priv_clamp(uint32_t size)
{
    return size < sizeof(AGPU_DMA_PRIV) ? size : (uint32_t)sizeof(AGPU_DMA_PRIV);
}

bool agpu_dma_priv_init(void *priv, uint32_t size, bool present)
{
    const AGPU_DMA_PRIV value = {.Type = present ? AGPU_DMA_PRIV_PRESENT : AGPU_DMA_PRIV_RENDER};

    if (priv == NULL || agpu_dma_priv_clamp(size) < sizeof value) {
        return false;
    }
    memcpy(priv, &value, sizeof value);
    return true;
}

HRESULT agpu_open_kernel_context(struct agpu_device *device)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;
    bool required = agpu_mode(device) == AGPU_BACKING_WDK;

    if (callbacks->pfnCreateContextCb == NULL) {
        return required ? E_FAIL : S_OK;
    }
    D3DDDICB_CREATECONTEXT context = {0};
    HRESULT hr = callbacks->pfnCreateContextCb(device->runtime.handle, &context);
    if (FAILED(hr)) {
        return hr;
    }
    device->kernel_context = context.hContext;
    device->buffers = BUFFERS_OF(&context, );
    if (callbacks->pfnCreateSynchronizationObjectCb == NULL) {
        return required ? E_FAIL : S_OK;
    }
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT fence = {.hContext = context.hContext};
    hr = callbacks->pfnCreateSynchronizationObjectCb(device->runtime.handle, &fence);
    if (FAILED(hr)) {
        return hr;
    }
    device->fence_object = fence.hSyncObject;
    return S_OK;
}

void agpu_close_kernel_context(struct agpu_device *device)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;

    if (device->fence_object && callbacks->pfnDestroySynchronizationObjectCb != NULL) {
        const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT args = {device->fence_object};

        callbacks->pfnDestroySynchronizationObjectCb(device->runtime.handle, &args);
    }
    if (device->kernel_context != NULL && callbacks->pfnDestroyContextCb != NULL) {
        const D3DDDICB_DESTROYCONTEXT args = {device->kernel_context};

        callbacks->pfnDestroyContextCb(device->runtime.handle, &args);
    }
    device->fence_object = 0;
    device->kernel_context = NULL;
    device->buffers = (struct agpu_submit_buffers){0};
}

/* Takes the set of buffers returned by a submission; if there is none, the runtime reuses the present set. */
static void adopt_new_buffers(struct agpu_device *device, const D3DDDICB_RENDER *done)
{
    if (done->pNewCommandBuffer != NULL) {
        device->buffers = BUFFERS_OF(done, New);
    }
}

/* Requests a set whose command buffer holds `bytes`. On failure the present set stays. */
static void get_larger_buffer(struct agpu_device *device, uint32_t bytes)
{
    D3DDDICB_GETCOMMANDBUFFER args = {.hContext = device->kernel_context, .RequestedSize = bytes};

    if (device->callbacks->pfnGetCommandBufferCb != NULL &&
        SUCCEEDED(device->callbacks->pfnGetCommandBufferCb(device->runtime.handle, &args)) &&
        args.pCommandBuffer != NULL) {
        device->buffers = BUFFERS_OF(&args, );
    }
}

/* A run of whole packets of the recorded stream that goes into one DMA buffer. */
struct submit_chunk {
    const uint8_t *packets;
    uint32_t bytes;
    bool last;
};

static uint32_t usable_bytes(const struct agpu_device *device)
{
    const struct agpu_submit_buffers *buffers = &device->buffers;

    return agpu_dma_usable_bytes(buffers->dma, buffers->command, buffers->command_bytes);
}

/* Makes draws list the bound state again, because the next list is empty. */
static void list_anew(struct agpu_device *device)
{
    device->imm.pending = AGPU_PENDING_STATE;
    device->imm.skips_repeats = false; /* tracing may have been switched on */
    device->imm.skipped_topology = AGPU_NO_TOPOLOGY;
}

void agpu_start_submission(struct agpu_device *device)
{
    agpu_cmd_rewind(&device->imm.cmd);
    agpu_cmd_lend(&device->imm.cmd, device->buffers.command, usable_bytes(device));
    agpu_track_restart(device);
    list_anew(device);
}

/* Gives every staging resource that the submission wrote its fence; without a submission drops these records. */
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

/* Position at which a submission failed. */
struct failed_place {
    const uint8_t *unsent;     /* first packet that the runtime has not accepted; NULL = the first of all */
    const uint8_t *unsendable; /* packet that fits into no buffer; NULL = none */
};

/* Drops the lost submission. Saves what later ones need, unless the device is gone with all its objects. */
static HRESULT abandon_submission(struct agpu_device *device, HRESULT hr, const struct failed_place *place)
{
    const struct agpu_cmd_writer *cmd = &device->imm.cmd;

    device->imm.state_lost = true;
    settle_staging_writes(device, false, 0);
    agpu_note_removal(device, hr);
    if (device->removed != S_OK) {
        device->upload_buffer = 0;
    }
    if (device->removed != S_OK || agpu_cmd_empty(cmd) ||
        !agpu_keep_lost(device,
                        place->unsent != NULL ? place->unsent : cmd->base + AGPU_CMD_STREAM_HEADER_BYTES,
                        place->unsendable)) {
        agpu_start_submission(device);
        return hr;
    }
    device->list_oom = false;
    list_anew(device);
    return hr;
}

/* Fills the current buffers with header, packets and list, and sends them. A stream built in the command buffer is
 * already there. */
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

    if (device->imm.cmd.base != buffers->command) {
        memcpy(buffers->command, device->imm.cmd.base, AGPU_CMD_STREAM_HEADER_BYTES);
        memcpy((uint8_t *)buffers->command + AGPU_CMD_STREAM_HEADER_BYTES, chunk->packets, chunk->bytes);
    }
    ((struct aerogpu_cmd_stream_header *)buffers->command)->size_bytes = bytes;
    agpu_alloc_list_fill(&device->allocs, buffers->list);

    D3DDDICB_RENDER args; /* member by member: clearing BroadcastContext would cost more than all the rest */
    args.CommandLength = bytes;
    args.CommandOffset = 0;
    args.NumAllocations = device->allocs.count;
    args.NumPatchLocations = 0;
    args.pNewCommandBuffer = args.pNewDmaBuffer = args.pNewDmaBufferPrivateData = NULL;
    args.pNewAllocationList = NULL;
    args.pNewPatchLocationList = NULL;
    args.NewCommandBufferSize = args.NewAllocationListSize = args.NewPatchLocationListSize = 0;
    args.NewDmaBufferPrivateDataSize = 0;
    args.Flags = 0;
    args.hContext = device->kernel_context;
    args.BroadcastContextCount = 0;
    args.NewFenceValue = 0;
    HRESULT hr;
    if (present != NULL && device->callbacks->pfnPresentCb != NULL) {
        D3DDDICB_PRESENT present_args;
        present_args.hSrcAllocation = present->source;
        present_args.hDstAllocation = 0;
        present_args.hContext = device->kernel_context;
        present_args.BroadcastContextCount = 0;
        present_args.pSubmission = &args;
        present_args.SyncInterval = present->sync_interval;
        hr = device->callbacks->pfnPresentCb(device->runtime.handle, &present_args);
    } else {
        hr = device->callbacks->pfnRenderCb(device->runtime.handle, &args);
    }
    if (FAILED(hr)) {
        return hr;
    }
    *fence = args.NewFenceValue;
    adopt_new_buffers(device, &args);
    return S_OK;
}

/* Selects the next run of packets that fits into the current buffer; requests a larger one when not even one packet
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
            get_larger_buffer(device, need);
            if (usable_bytes(device) < need) {
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
    struct failed_place place = {NULL, NULL};
    if (device->list_oom) {
        return abandon_submission(device, E_OUTOFMEMORY, &place);
    }
    if (agpu_cmd_empty(cmd)) {
        /* Drop references without packets, and a sticky error, which would block the device permanently. */
        if (cmd->error != AGPU_CMD_OK || device->allocs.count || device->pending_staging != NULL) {
            settle_staging_writes(device, false, 0);
            agpu_start_submission(device);
        }
        return S_OK;
    }
    /* Bindings outlive submissions, so this one references state bound earlier, too. Running out of slots is not an
     * error here: every draw has listed what it uses. */
    if (agpu_track_bound(&device->imm) == AGPU_TRACK_OUT_OF_MEMORY) {
        return abandon_submission(device, E_OUTOFMEMORY, &place);
    }
    agpu_cmd_finalize(cmd);

    uint64_t fence = 0;
    if (device->callbacks->pfnRenderCb == NULL) {
        if (agpu_mode(device) == AGPU_BACKING_WDK) {
            return abandon_submission(device, E_FAIL, &place);
        }
    } else {
        struct agpu_cmd_walk walk = {cmd->base + AGPU_CMD_STREAM_HEADER_BYTES,
                                     cmd->base + agpu_cmd_used(cmd)};
        struct submit_chunk chunk = {.last = false};

        while (!chunk.last) {
            HRESULT hr = next_chunk(device, &walk, &chunk);

            place.unsent = chunk.packets;
            if (FAILED(hr)) {
                place.unsendable = chunk.packets;
            } else {
                hr = send_chunk(device, &chunk, present, &fence);
            }
            if (FAILED(hr)) {
                return abandon_submission(device, hr, &place);
            }
        }
    }
    if (fence) { /* 0: the runtime has no fence for it, so it counts as complete (umd.md 12.3 step 6) */
        device->last_submitted_fence = fence;
    }
    device->lost_in_a_row = 0;
    settle_staging_writes(device, true, fence);
    agpu_start_submission(device);
    return S_OK;
}
