/* create_device.c: CreateDevice and DestroyDevice (umd.md 3.1, 12.4). */
#include "umd-port/entry/create_device.h"

#include <string.h>

#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/track.h"
#include "umd-port/base/wait.h"
#include "umd-port/resource/streamed.h"

/* Windows passes a complete table or none; the reference driver's portable build works with any subset. */
static bool callbacks_complete(const D3DDDI_DEVICECALLBACKS *callbacks)
{
    return callbacks->pfnAllocateCb != NULL && callbacks->pfnDeallocateCb != NULL &&
           callbacks->pfnLockCb != NULL && callbacks->pfnUnlockCb != NULL && callbacks->pfnRenderCb != NULL &&
           callbacks->pfnPresentCb != NULL && callbacks->pfnCreateContextCb != NULL &&
           callbacks->pfnDestroyContextCb != NULL && callbacks->pfnCreateSynchronizationObjectCb != NULL &&
           callbacks->pfnDestroySynchronizationObjectCb != NULL &&
           callbacks->pfnWaitForSynchronizationObjectCb != NULL;
}

static void construct_device(struct agpu_device *device, struct agpu_adapter *adapter,
                             const D3D10DDIARG_CREATEDEVICE *args)
{
    memset(device, 0, sizeof *device);
    device->imm.device = device;
    device->imm.core_layer = args->hRTCoreLayer;
    device->imm.core_callbacks = args->pUMCallbacks;
    agpu_reset_topology(&device->imm);
    device->imm.list_epoch = &device->allocs.epoch;
    device->callbacks = args->pKTCallbacks;
    device->runtime = args->hRTDevice;
    if (adapter == NULL) {
        return;
    }
    device->adapter = adapter;
    device->env = adapter->env;
    device->imm.options = adapter->env->options;
    device->imm.drops_repeats = agpu_mode(device) == AGPU_BACKING_WDK;
    agpu_cmd_init_vector(&device->imm.cmd, adapter->env);
    uint32_t limit = adapter->env->options->command_limit;
    device->imm.cmd.submit_at = limit ? limit : AGPU_COMMAND_LIMIT_DEFAULT;
    device->imm.cmd.pressure = &device->imm.pending;
    device->imm.cmd.pressure_bit = AGPU_PENDING_FLUSH;
    agpu_alloc_list_init(&device->allocs, adapter->env);
}

static HRESULT create_device_untraced(struct agpu_adapter *adapter, D3D10DDIARG_CREATEDEVICE *args,
                                      enum agpu_cookie cookie, uint32_t vertex_slots)
{
    struct agpu_device *device = args->hDrvDevice.pDrvPrivate;

    construct_device(device, adapter, args);
    if (adapter == NULL) {
        return E_FAIL;
    }
    if (device->imm.cmd.submit_at < AGPU_COMMAND_LIMIT_MIN ||
        device->imm.cmd.submit_at > AGPU_COMMAND_LIMIT_MAX) {
        return E_INVALIDARG;
    }
    if (args->pKTCallbacks == NULL ||
        (agpu_mode(device) == AGPU_BACKING_WDK && !callbacks_complete(args->pKTCallbacks))) {
        return E_FAIL;
    }
    HRESULT hr = agpu_open_kernel_context(device);
    if (FAILED(hr)) {
        agpu_close_kernel_context(device);
        return hr;
    }
    device->vertex_slots = vertex_slots;
    agpu_start_submission(device);
    device->imm.cookie = (uint32_t)cookie;
    return S_OK;
}

HRESULT agpu_create_device(D3D10DDI_HADAPTER handle, D3D10DDIARG_CREATEDEVICE *args, enum agpu_cookie cookie,
                           uint32_t vertex_slots)
{
    struct agpu_adapter *adapter = handle.pDrvPrivate;
    HRESULT hr = create_device_untraced(adapter, args, cookie, vertex_slots);

    if (adapter != NULL) {
        AGPU_TRACE(adapter->env, AGPU_TRACE_CALLS, "CreateDevice interface=0x%X -> hr=0x%X", args->Interface,
                   (unsigned)hr);
    }
    return hr;
}

void agpu_destroy_device(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    struct agpu_device *device = context->device;
    AGPU_TRACE_CALL(&device->imm, "DestroyDevice");
    if (agpu_mode(device) == AGPU_BACKING_WDK) { /* the portable driver drops the packets */
        agpu_destroy_upload_buffer(device);
        agpu_submit(device, NULL);
        agpu_wait_fence(device, device->last_submitted_fence, false);
    }
    agpu_close_kernel_context(device);
    agpu_cmd_release(&context->cmd);
    agpu_alloc_list_release(&device->allocs);
    while (device->pending_staging != NULL) {
        agpu_forget_staging_write(device->pending_staging);
    }
    context->cookie = 0;
}
