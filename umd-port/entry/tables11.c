/* tables11.c: the Direct3D 11 device and context tables. */
#include "umd-port/entry/tables11.h"

#include "umd-port/base/lock.h"
#include "umd-port/entry/entries.h"
#include "umd-port/entry/tables_deferred.h"

#define UNSUPPORTED(name, api)                                                                               \
    .pfnCalcPrivate##api##Size = agpu_calc_##name##_size, .pfnCreate##api = agpu_refuse_##name,              \
    .pfnDestroy##api = agpu_ignore_##name

static const D3D11DDI_DEVICEFUNCS device_funcs11 = {
    AGPU_DEVICE_ENTRIES,
    .pfnCalcPrivateResourceSize = agpu_calc_resource_size,
    .pfnCreateResource = agpu_entry_create_resource,
    AGPU_CREATIONS11(AGPU_CREATION_ENTRY).pfnCalcPrivateOpenedResourceSize = agpu_calc_opened_resource_size,
    .pfnCalcPrivateUnorderedAccessViewSize = agpu_calc_uav_size,
    .pfnDestroyUnorderedAccessView = agpu_destroy_uav,
    .pfnCalcPrivateTessellationShaderSize = agpu_calc_tessellation_shader_size,
    .pfnCheckDeferredContextHandleSizes = agpu_refuse_handle_sizes,
    .pfnCalcDeferredContextHandleSize = agpu_small_context_handle_size,
    .pfnCalcPrivateDeferredContextSize = agpu_small_context_size,
    .pfnCreateDeferredContext = agpu_refuse_context,
    .pfnDestroyDeferredContext = agpu_ignore_context,
    .pfnAbandonCommandList = agpu_refuse_abandon,
    .pfnCalcPrivateCommandListSize = agpu_small_command_list_size,
    .pfnCreateCommandList = agpu_refuse_create_list,
    .pfnDestroyCommandList = agpu_ignore_destroy_list,
    .pfnRecycleCommandList = agpu_refuse_recycle_list,
    .pfnRecycleCreateCommandList = agpu_refuse_recycle_create_list,
    .pfnRecycleCreateDeferredContext = agpu_refuse_recycle_context,
    .pfnRecycleDestroyCommandList = agpu_ignore_recycle_destroy_list,
    UNSUPPORTED(class_linkage, ClassLinkage),
    UNSUPPORTED(class_instance, ClassInstance),
    UNSUPPORTED(counter, Counter),
    .pfnCheckDeviceState = agpu_check_device_state,
    .pfnGetGammaCaps = agpu_refuse_gamma_caps,
    .pfnSetResourcePriority = agpu_refuse_resource_priority,
    .pfnQueryResourceResidency = agpu_refuse_residency,
    .pfnPresent = agpu_present,
    .pfnRotateResourceIdentities = agpu_rotate_resource_identities,
    .pfnBlt = agpu_blt,
    .pfnSetDisplayMode = agpu_refuse_display_mode,
    .pfnRelocateDeviceFuncs = agpu_ignore_relocate11,
    UNSUPPORTED(predicate, Predicate),
};

static const D3D11DDI_DEVICECONTEXTFUNCS context_funcs11 = {
    AGPU_RECORDING_ENTRIES,
    AGPU_RECORDING_ENTRIES11,
    AGPU_IMMEDIATE_ENTRIES,
    .pfnDrawInstancedIndirect = agpu_draw_instanced_indirect,
    .pfnDrawIndexedInstancedIndirect = agpu_draw_indexed_instanced_indirect,
    .pfnDispatchIndirect = agpu_dispatch_indirect,
    .pfnDynamicConstantBufferMapNoOverwrite = agpu_dynamic_cb_map_no_overwrite,
    .pfnCommandListExecute = agpu_refuse_execute,
};

/* ---- the context table on a device whose objects another thread may create and destroy ---- */

#define AGPU_DDI_RESULT void
#define AGPU_DDI(result, name, parameters, names)                                                            \
    static result locked_##name parameters                                                                   \
    {                                                                                                        \
        AGPU_HOLD(device);                                                                                   \
        return context_funcs11.pfn##name names;                                                              \
    }
#include "umd-port/ddi/d3d11contextfuncs.def"
#undef AGPU_DDI

#define AGPU_DDI(result, name, parameters, names) .pfn##name = locked_##name,
static const D3D11DDI_DEVICECONTEXTFUNCS locked_context_funcs11 = {
#include "umd-port/ddi/d3d11contextfuncs.def"
};
#undef AGPU_DDI
#undef AGPU_DDI_RESULT

HRESULT agpu_create_device11(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args)
{
    if (args == NULL || args->hDrvDevice.pDrvPrivate == NULL || args->p11DeviceFuncs == NULL ||
        args->p11ContextFuncs == NULL) {
        return E_INVALIDARG;
    }
    *args->p11DeviceFuncs = device_funcs11;
    const struct agpu_adapter *opened = adapter.pDrvPrivate;
    bool locks = opened != NULL && opened->env->lock != NULL;
    *args->p11ContextFuncs = locks ? locked_context_funcs11 : context_funcs11;
    HRESULT hr = agpu_create_device(adapter, args, AGPU_COOKIE_D3D11, AGPU_DDI_VERTEX_BUFFER_SLOTS);
    if (FAILED(hr)) {
        return hr;
    }
    hr = agpu_install_deferred_entries(args->hDrvDevice.pDrvPrivate, args->p11DeviceFuncs,
                                       args->p11ContextFuncs);
    if (FAILED(hr)) {
        agpu_destroy_device(args->hDrvDevice);
    }
    return hr;
}
