/* device.c: devices of the runtime (umd.md 4): creation and destruction, callback tables, collected errors. */
#include "mm/runtime/device.h"

#include "mm/runtime/context.h"
#include "mm/runtime/memory.h"
#include "mm/runtime/wait.h"
#include "mm/vidmm/create.h"

struct agpu_runtime_device *agpu_runtime_device_create(struct agpu_runtime *runtime, uint16_t process)
{
    if (process == 0 || process >= AGPU_PROCESS_LIMIT) {
        return NULL;
    }
    struct agpu_runtime_device *device = agpu_memory_alloc(&runtime->memory, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->runtime = runtime;
    device->process = process;
    device->next = runtime->devices;
    runtime->devices = device;
    return device;
}

void agpu_runtime_device_destroy(struct agpu_runtime_device *device)
{
    struct agpu_runtime *runtime = device->runtime;

    agpu_api_end(&device->api);
    /* A correct driver has destroyed all contexts by now. */
    while (device->contexts != NULL) {
        runtime->leaked_contexts++;
        runtime->leaked_syncs += device->contexts->sync != 0;
        agpu_runtime_free_context(device->contexts);
    }
    for (struct agpu_runtime_device **link = &runtime->devices; *link != NULL; link = &(*link)->next) {
        if (*link == device) {
            *link = device->next;
            break;
        }
    }
    agpu_memory_free(&runtime->memory, device, sizeof *device);
}

/* Counts every error and stores the first and the last. */
static void set_device_error(D3D10DDI_HRTCORELAYER core, HRESULT error)
{
    struct agpu_runtime_device *device = core.handle;

    if (device->errors.count++ == 0) {
        device->errors.first = error;
    }
    device->errors.last = error;
}

static HRESULT get_device_state(HANDLE handle, D3DDDICB_GETDEVICESTATE *args)
{
    struct agpu_runtime_device *device = handle;

    if (args == NULL) {
        return E_INVALIDARG;
    }
    agpu_runtime_poll_if_busy(device->runtime);
    args->Reason = agpu_runtime_device_lost(device);
    return S_OK;
}

const D3DDDI_DEVICECALLBACKS *agpu_runtime_device_callbacks(void)
{
    static const D3DDDI_DEVICECALLBACKS callbacks = {
        .pfnAllocateCb = agpu_runtime_allocate,
        .pfnDeallocateCb = agpu_runtime_deallocate,
        .pfnLockCb = agpu_runtime_lock,
        .pfnUnlockCb = agpu_runtime_unlock,
        .pfnRenderCb = agpu_runtime_render,
        .pfnPresentCb = agpu_runtime_present,
        .pfnCreateContextCb = agpu_runtime_create_context,
        .pfnDestroyContextCb = agpu_runtime_destroy_context,
        .pfnCreateSynchronizationObjectCb = agpu_runtime_create_sync,
        .pfnDestroySynchronizationObjectCb = agpu_runtime_destroy_sync,
        .pfnWaitForSynchronizationObjectCb = agpu_runtime_wait_sync,
        .pfnGetCommandBufferCb = agpu_runtime_get_command_buffer,
        .pfnQueryCompletedFenceCb = agpu_runtime_query_fence,
        .pfnGetDeviceStateCb = get_device_state,
    };

    return &callbacks;
}

const D3D10DDI_CORELAYER_DEVICECALLBACKS *agpu_runtime_core_callbacks(void)
{
    static const D3D10DDI_CORELAYER_DEVICECALLBACKS callbacks = {.pfnSetErrorCb = set_device_error};

    return &callbacks;
}

D3D10DDI_HRTDEVICE agpu_runtime_device_handle(struct agpu_runtime_device *device)
{
    return (D3D10DDI_HRTDEVICE){device};
}

D3D10DDI_HRTCORELAYER agpu_runtime_core_handle(struct agpu_runtime_device *device)
{
    return (D3D10DDI_HRTCORELAYER){device};
}

struct agpu_api *agpu_runtime_device_api(struct agpu_runtime_device *device)
{
    return &device->api;
}

struct agpu_runtime_error_record agpu_runtime_errors(const struct agpu_runtime_device *device)
{
    return device->errors;
}

void agpu_runtime_errors_clear(struct agpu_runtime_device *device)
{
    device->errors = (struct agpu_runtime_error_record){0};
}

HRESULT agpu_runtime_device_lost(const struct agpu_runtime_device *device)
{
    if (device->runtime->kmd.removed) {
        return DXGI_ERROR_DEVICE_REMOVED;
    }
    HRESULT lost = S_OK;
    for (const struct agpu_runtime_context *c = device->contexts; c != NULL; c = c->next) {
        if (lost == S_OK || c->kmd.lost == DXGI_ERROR_DEVICE_HUNG) {
            lost = c->kmd.lost;
        }
    }
    return lost;
}

HRESULT agpu_runtime_open_shared(struct agpu_runtime_device *device, uint64_t token,
                                 D3DKMT_HANDLE *allocation, uint8_t blob[64], uint32_t *blob_size)
{
    NTSTATUS status =
        agpu_vidmm_open(&device->runtime->kmd.vm, device->process, token, allocation, blob, blob_size);
    return agpu_hresult_from_nt(status, D3DDDIERR_WASSTILLDRAWING);
}
