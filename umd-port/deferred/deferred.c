/* deferred.c: when deferred contexts are offered, and the immediate context's entries that change with
 * them. */
#include "umd-port/deferred/deferred.h"

#include "umd-port/base/flush.h"
#include "umd-port/deferred/calls.h"
#include "umd-port/deferred/context.h"
#include "umd-port/deferred/object_entries.h"
#include "umd-port/deferred/command_list.h"
#include "umd-port/entry/device.h"
#include "umd-port/entry/rotate.h"

bool agpu_deferred_contexts_offered(const struct agpu_adapter *adapter)
{
    const struct agpu_umd_options *options = adapter->env->options;

    return options->deferred_contexts &&
           (options->backing_mode == AGPU_BACKING_HOST || agpu_gate_transfer(adapter));
}

/* Submissions are also the occasion to tell the device what nobody uses any more. */
static void bury(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context != NULL && context->device->sharing != NULL) {
        agpu_sharing_bury(context->device->sharing);
    }
}

static HRESULT flush(D3D10DDI_HDEVICE handle)
{
    bury(handle);
    return agpu_flush(handle);
}

static HRESULT present(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_PRESENT *args)
{
    if (agpu_deferred_of(handle) != NULL) {
        return agpu_deferred_present(handle, args);
    }
    bury(handle);
    return agpu_present(handle, args);
}

static HRESULT rotate(D3D10DDI_HDEVICE handle, const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args)
{
    return agpu_deferred_of(handle) != NULL ? agpu_deferred_rotate(handle, args)
                                            : agpu_rotate_resource_identities(handle, args);
}

static void destroy_device(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL || agpu_deferred_of(handle) != NULL) {
        return;
    }
    struct agpu_sharing *sharing = context->device->sharing;
    bury(handle);
    agpu_destroy_device(handle);
    if (sharing != NULL) {
        agpu_sharing_close(sharing);
    }
}

HRESULT agpu_offer_deferred_contexts(struct agpu_device *device, D3D11DDI_DEVICEFUNCS *device_funcs,
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
    device_funcs->pfnDestroyDevice = destroy_device;
    device_funcs->pfnPresent = present;
    device_funcs->pfnRotateResourceIdentities = rotate;
    device_funcs->pfnCheckDeferredContextHandleSizes = agpu_check_deferred_handle_sizes;
    device_funcs->pfnCalcDeferredContextHandleSize = agpu_calc_deferred_handle_size;
    device_funcs->pfnCalcPrivateDeferredContextSize = agpu_calc_deferred_context_size;
    device_funcs->pfnCreateDeferredContext = agpu_create_deferred_context;
    device_funcs->pfnDestroyDeferredContext = agpu_destroy_deferred_context;
    device_funcs->pfnRecycleCreateDeferredContext = agpu_recycle_create_deferred_context;
    device_funcs->pfnAbandonCommandList = agpu_abandon_command_list;
    device_funcs->pfnCalcPrivateCommandListSize = agpu_calc_command_list_size;
    device_funcs->pfnCreateCommandList = agpu_create_command_list;
    device_funcs->pfnDestroyCommandList = agpu_destroy_command_list;
    device_funcs->pfnRecycleCommandList = agpu_recycle_command_list;
    device_funcs->pfnRecycleCreateCommandList = agpu_recycle_create_command_list;
    device_funcs->pfnRecycleDestroyCommandList = agpu_recycle_destroy_command_list;
    context_funcs->pfnCommandListExecute = agpu_command_list_execute;
    context_funcs->pfnFlush = flush;
    context_funcs->pfnPresent = present;
    return S_OK;
}
