/* tables_deferred.c: the function table of deferred contexts. Entries that set state or draw are those of the immediate
 * context, which record into the context that they are called on. */
#include "umd-port/entry/tables_deferred.h"

#include "umd-port/base/lock.h"
#include "umd-port/deferred/command_list.h"
#include "umd-port/deferred/content.h"
#include "umd-port/deferred/context.h"
#include "umd-port/deferred/object_entries.h"
#include "umd-port/deferred/recording.h"
#include "umd-port/deferred/refused.h"
#include "umd-port/deferred/work.h"
#include "umd-port/entry/entries.h"

static const D3D11DDI_DEVICECONTEXTFUNCS deferred_context_funcs = {
    AGPU_RECORDING_ENTRIES,
    AGPU_RECORDING_ENTRIES11,
    .pfnDrawInstancedIndirect = agpu_deferred_draw_instanced_indirect,
    .pfnDrawIndexedInstancedIndirect = agpu_deferred_draw_indexed_indirect,
    .pfnDispatchIndirect = agpu_deferred_dispatch_indirect,
    .pfnClearRenderTargetView = agpu_deferred_clear_rtv,
    .pfnResourceCopyRegion = agpu_resource_copy_region,
    .pfnResourceUpdateSubresourceUP = agpu_deferred_update,
    .pfnDefaultConstantBufferUpdateSubresourceUP = agpu_deferred_update_constants,
    .pfnResourceMap = agpu_deferred_map,
    .pfnResourceUnmap = agpu_deferred_unmap,
    .pfnDynamicIABufferMapDiscard = agpu_deferred_ia_discard,
    .pfnDynamicIABufferMapNoOverwrite = agpu_deferred_ia_no_overwrite,
    .pfnDynamicIABufferUnmap = agpu_deferred_ia_unmap,
    .pfnDynamicConstantBufferMapDiscard = agpu_deferred_cb_discard,
    .pfnDynamicConstantBufferMapNoOverwrite = agpu_deferred_cb_no_overwrite,
    .pfnDynamicConstantBufferUnmap = agpu_deferred_cb_unmap,
    .pfnDynamicResourceMapDiscard = agpu_deferred_resource_discard,
    .pfnDynamicResourceUnmap = agpu_deferred_resource_unmap,
    .pfnStagingResourceMap = agpu_deferred_staging_map,
    .pfnStagingResourceUnmap = agpu_deferred_staging_unmap,
    .pfnResourceIsStagingBusy = agpu_deferred_is_staging_busy,
    .pfnQueryEnd = agpu_deferred_query_end,
    .pfnQueryGetData = agpu_deferred_get_data,
    .pfnCommandListExecute = agpu_command_list_execute,
    .pfnFlush = agpu_deferred_flush,
    .pfnPresent = agpu_deferred_present,
    .pfnRotateResourceIdentities = agpu_deferred_rotate,
};

static void create_deferred_context(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    AGPU_HOLD(device);
    HRESULT hr = agpu_create_deferred_context(device, args);

    if (SUCCEEDED(hr)) {
        *args->p11ContextFuncs = deferred_context_funcs;
    }
    agpu_report(agpu_context_of(device), hr);
}

static HRESULT recycle_create_deferred_context(D3D10DDI_HDEVICE device,
                                               const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    AGPU_HOLD(device);
    HRESULT hr = agpu_recycle_create_deferred_context(device, args);

    if (SUCCEEDED(hr)) {
        *args->p11ContextFuncs = deferred_context_funcs;
    }
    return hr;
}

/* The runtime also calls the device table with the handle of a deferred context. */
static HRESULT rotate_on_any_context(D3D10DDI_HDEVICE handle,
                                     const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args)
{
    AGPU_HOLD(handle);
    return agpu_deferred_of(handle) != NULL ? agpu_deferred_rotate(handle, args)
                                            : agpu_rotate_resource_identities(handle, args);
}

/* Each submission also destroys, on the device, objects without references. */
static void destroy_unreferenced(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context != NULL && context->device->sharing != NULL) {
        agpu_sharing_destroy_unreferenced(context->device->sharing);
    }
}

static void execute_on_device(D3D10DDI_HDEVICE handle, D3D11DDI_HCOMMANDLIST list)
{
    AGPU_HOLD(handle);
    agpu_command_list_execute(handle, list);
}

static void flush_sharing_device(D3D10DDI_HDEVICE handle)
{
    AGPU_HOLD(handle);
    destroy_unreferenced(handle);
    agpu_flush(handle);
}

static HRESULT present_on_any_context(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_PRESENT *args)
{
    AGPU_HOLD(handle);
    if (agpu_deferred_of(handle) != NULL) {
        return agpu_deferred_present(handle, args);
    }
    destroy_unreferenced(handle);
    return agpu_present(handle, args);
}

/* Destroys the device. The data that contexts share remains as long as one of them refers to it. */
static void destroy_sharing_device(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL || agpu_deferred_of(handle) != NULL) {
        return;
    }
    struct agpu_sharing *sharing = context->device->sharing;
    destroy_unreferenced(handle);
    agpu_destroy_device(handle);
    if (sharing != NULL) {
        agpu_sharing_close(sharing);
    }
}

HRESULT agpu_install_deferred_entries(struct agpu_device *device, D3D11DDI_DEVICEFUNCS *device_funcs,
                                      D3D11DDI_DEVICECONTEXTFUNCS *context_funcs)
{
    if (!device->env->options->deferred_contexts) {
        return S_OK;
    }
    device->sharing = agpu_sharing_open(device);
    if (device->sharing == NULL) {
        return E_OUTOFMEMORY;
    }
    agpu_install_shared_entries(device_funcs);
    device_funcs->pfnDestroyDevice = destroy_sharing_device;
    device_funcs->pfnPresent = present_on_any_context;
    device_funcs->pfnRotateResourceIdentities = rotate_on_any_context;
    device_funcs->pfnCheckDeferredContextHandleSizes = agpu_check_deferred_handle_sizes;
    device_funcs->pfnCalcDeferredContextHandleSize = agpu_calc_deferred_handle_size;
    device_funcs->pfnCalcPrivateDeferredContextSize = agpu_calc_deferred_context_size;
    device_funcs->pfnCreateDeferredContext = create_deferred_context;
    device_funcs->pfnDestroyDeferredContext = agpu_destroy_deferred_context;
    device_funcs->pfnRecycleCreateDeferredContext = recycle_create_deferred_context;
    device_funcs->pfnAbandonCommandList = agpu_abandon_command_list;
    device_funcs->pfnCalcPrivateCommandListSize = agpu_calc_command_list_size;
    device_funcs->pfnCreateCommandList = agpu_create_command_list;
    device_funcs->pfnDestroyCommandList = agpu_destroy_command_list;
    device_funcs->pfnRecycleCommandList = agpu_recycle_command_list;
    device_funcs->pfnRecycleCreateCommandList = agpu_recycle_create_command_list;
    device_funcs->pfnRecycleDestroyCommandList = agpu_recycle_destroy_command_list;
    context_funcs->pfnCommandListExecute = execute_on_device;
    context_funcs->pfnFlush = flush_sharing_device;
    context_funcs->pfnPresent = present_on_any_context;
    return S_OK;
}
