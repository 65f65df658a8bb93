/* memory.c: AllocateCb, DeallocateCb, LockCb, UnlockCb on top of VidMm. */
#include "mm/runtime/memory.h"

#include "mm/runtime/wait.h"
#include "mm/vidmm/create.h"
#include "mm/vidmm/lock.h"
#include "mm/vidmm/vidmm.h"

static void read_allocation_info(const D3DDDICB_ALLOCATE *args, const D3DDDI_ALLOCATIONINFO *in,
                                 struct agpu_create_info *out)
{
    *out = (struct agpu_create_info){
        .private_data = in->pPrivateDriverData,
        .private_size = in->PrivateDriverDataSize,
        .alignment = in->Alignment,
        .size = in->Size,
        .segment_set = in->SupportedReadSegmentSet & in->SupportedWriteSegmentSet,
        .primary = in->Flags.Primary || args->Flags.Primary,
        .cross_adapter = args->Flags.CrossAdapter,
        .texture = args->ResourceFlags.Texture,
        .mips = 1, /* one linear image: its size must not be that of a mip chain */
        .layers = 1,
    };
}

HRESULT agpu_runtime_allocate(HANDLE handle, D3DDDICB_ALLOCATE *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;

    if (args == NULL || args->pAllocationInfo == NULL || args->NumAllocations == 0 ||
        args->NumAllocations > AGPU_RUNTIME_MAX_INFO) {
        return E_INVALIDARG;
    }
    if (runtime->kmd.removed) {
        return D3DDDIERR_DEVICEREMOVED;
    }
    agpu_runtime_poll_if_busy(runtime); /* free completed memory and ids first */
    struct agpu_create_info one;
    struct agpu_create_info *infos = &one;
    size_t bytes = args->NumAllocations * sizeof *infos;
    if (args->NumAllocations > 1u) {
        infos = agpu_memory_alloc(&runtime->memory, bytes);
    }
    if (infos == NULL) {
        return E_OUTOFMEMORY;
    }
    for (uint32_t i = 0; i < args->NumAllocations; i++) {
        read_allocation_info(args, &args->pAllocationInfo[i], &infos[i]);
    }
    struct agpu_create_request request = {.process = device->process,
                                          .shared = args->Flags.CreateShared,
                                          .create_resource = args->Flags.CreateResource,
                                          .count = args->NumAllocations,
                                          .infos = infos};
    NTSTATUS status = agpu_vidmm_create(&runtime->kmd.vm, &request);
    for (uint32_t i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        args->pAllocationInfo[i].hAllocation = infos[i].handle;
        args->pAllocationInfo[i].Size = infos[i].size;
    }
    if (status == STATUS_SUCCESS) {
        args->hKMResource = request.resource;
    }
    if (infos != &one) {
        agpu_memory_free(&runtime->memory, infos, bytes);
    }
    return agpu_hresult_from_nt(status, D3DDDIERR_WASSTILLDRAWING);
}

HRESULT agpu_runtime_deallocate(HANDLE handle, const D3DDDICB_DEALLOCATE *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;

    if (args == NULL || (args->NumAllocations != 0 && args->HandleList == NULL)) {
        return E_INVALIDARG;
    }
    agpu_runtime_poll_if_busy(runtime); /* completed allocations can be freed at once */
    NTSTATUS status = agpu_vidmm_destroy(&runtime->kmd.vm, device->process, args->hKMResource,
                                         args->HandleList, args->NumAllocations);
    agpu_kmd_release_tokens(&runtime->kmd, runtime->config.platform->now_ns(runtime->config.platform->ctx));
    return agpu_hresult_from_nt(status, D3DDDIERR_WASSTILLDRAWING);
}

/* True when a context of this device has recorded, but not submitted, commands that name the memory of handle (vidmm.md
 * 4.3). */
static bool is_unsubmitted(const struct agpu_runtime_device *device, D3DKMT_HANDLE handle)
{
    const struct agpu_runtime *runtime = device->runtime;

    for (const struct agpu_runtime_context *c = device->contexts; c != NULL; c = c->next) {
        if (agpu_lock_is_recorded(&runtime->kmd.vm, device->process, handle, c->buffers[c->current].list,
                                  runtime->config.allocation_list)) {
            return true;
        }
    }
    return false;
}

bool agpu_runtime_is_recorded(const void *runtime, uint16_t process, uint32_t handle)
{
    const struct agpu_runtime_device *device = ((const struct agpu_runtime *)runtime)->devices;

    while (device != NULL && (device->process != process || !is_unsubmitted(device, handle))) {
        device = device->next;
    }
    return device != NULL;
}

/* Steps 3 and 4 of vidmm.md 4.1. */
static NTSTATUS lock_gate_status(const struct agpu_kmd *kmd, D3DDDICB_LOCKFLAGS flags)
{
    NTSTATUS gate = agpu_kmd_gate(kmd);

    return gate == STATUS_DEVICE_NOT_READY && flags.DonotWait ? STATUS_GRAPHICS_GPU_BUSY : gate;
}

HRESULT agpu_runtime_lock(HANDLE handle, D3DDDICB_LOCK *args)
{
    struct agpu_runtime_device *device = handle;
    struct agpu_runtime *runtime = device->runtime;

    if (args == NULL) {
        return E_INVALIDARG;
    }
    if (args->Flags.Discard) {
        agpu_runtime_poll_if_busy(runtime); /* avoids a new instance if the old one is idle by now */
    }
    bool exempt = args->Flags.IgnoreSync || args->Flags.NoExistingReference;
    struct agpu_lock_request request = {.process = device->process,
                                        .flags = args->Flags.Value,
                                        .handle = args->hAllocation,
                                        .unsubmitted = !exempt && is_unsubmitted(device, args->hAllocation),
                                        .check_flush = !runtime->config.no_flush_check};
    struct agpu_runtime_wait wait;
    bool waiting = false;
    NTSTATUS status;
    for (;;) {
        request.gate = lock_gate_status(&runtime->kmd, args->Flags);
        status = agpu_vidmm_lock(&runtime->kmd.vm, &request);
        bool stale = status == STATUS_GRAPHICS_GPU_BUSY || status == STATUS_INSUFFICIENT_RESOURCES;
        if (status != STATUS_PENDING && !(stale && !waiting)) {
            break;
        }
        /* A busy or full state may be out of date: poll once, then wait or give up. */
        if (!waiting) {
            agpu_runtime_wait_begin(&wait, runtime, AGPU_RELAX_FENCE);
            waiting = true;
            agpu_runtime_poll_if_busy(runtime);
            continue;
        }
        status = agpu_runtime_wait_again(&wait);
        if (status != STATUS_SUCCESS) {
            break;
        }
    }
    if (status != STATUS_SUCCESS) {
        return agpu_hresult_from_nt(status, D3DDDIERR_WASSTILLDRAWING);
    }
    args->hAllocation = request.handle;
    args->pData = request.data;
    args->Pitch = request.pitch;
    args->SlicePitch = request.slice_pitch;
    return S_OK;
}

HRESULT agpu_runtime_unlock(HANDLE handle, const D3DDDICB_UNLOCK *args)
{
    struct agpu_runtime_device *device = handle;

    if (args == NULL || args->NumAllocations == 0 || args->phAllocations == NULL) {
        return E_INVALIDARG;
    }
    NTSTATUS status = STATUS_SUCCESS;
    for (uint32_t i = 0; status == STATUS_SUCCESS && i < args->NumAllocations; i++) {
        status = agpu_vidmm_unlock(&device->runtime->kmd.vm, device->process, args->phAllocations[i]);
    }
    return agpu_hresult_from_nt(status, D3DDDIERR_WASSTILLDRAWING);
}
