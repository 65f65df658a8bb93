/* tables11.c: the Direct3D 11 device and context tables. */
#include "umd-port/entry/tables11.h"

#include "umd-port/base/flush.h"
#include "umd-port/base/query.h"
#include "umd-port/draw/clear.h"
#include "umd-port/draw/draw.h"
#include "umd-port/entry/device.h"
#include "umd-port/entry/rotate.h"
#include "umd-port/entry/tables_deferred.h"
#include "umd-port/entry/unsupported.h"
#include "umd-port/resource/copy.h"
#include "umd-port/resource/create.h"
#include "umd-port/resource/destroy.h"
#include "umd-port/resource/map.h"
#include "umd-port/resource/open.h"
#include "umd-port/resource/unmap.h"
#include "umd-port/resource/update.h"
#include "umd-port/state/clear_state.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/samplers.h"
#include "umd-port/state/shaders.h"
#include "umd-port/state/stages.h"
#include "umd-port/state/targets.h"
#include "umd-port/state/viewport.h"
#include "umd-port/state/views.h"

static const D3D11DDI_DEVICEFUNCS device_funcs11 = {
    .pfnDestroyDevice = agpu_destroy_device,
    .pfnCalcPrivateResourceSize = agpu_calc_resource_size,
    .pfnCreateResource = agpu_create_resource,
    .pfnCalcPrivateOpenedResourceSize = agpu_calc_opened_resource_size,
    .pfnOpenResource = agpu_open_resource,
    .pfnDestroyResource = agpu_destroy_resource,
    .pfnCalcPrivateShaderResourceViewSize = agpu_calc_srv_size,
    .pfnCreateShaderResourceView = agpu_create_srv,
    .pfnDestroyShaderResourceView = agpu_destroy_srv,
    .pfnCalcPrivateRenderTargetViewSize = agpu_calc_rtv_size,
    .pfnCreateRenderTargetView = agpu_create_rtv,
    .pfnDestroyRenderTargetView = agpu_destroy_rtv,
    .pfnCalcPrivateDepthStencilViewSize = agpu_calc_rtv_size,
    .pfnCreateDepthStencilView = agpu_create_dsv,
    .pfnDestroyDepthStencilView = agpu_destroy_dsv,
    .pfnCalcPrivateUnorderedAccessViewSize = agpu_calc_uav_size,
    .pfnCreateUnorderedAccessView = agpu_create_uav,
    .pfnDestroyUnorderedAccessView = agpu_destroy_uav,
    .pfnCalcPrivateElementLayoutSize = agpu_calc_element_layout_size,
    .pfnCreateElementLayout = agpu_create_element_layout,
    .pfnDestroyElementLayout = agpu_destroy_element_layout,
    .pfnCalcPrivateBlendStateSize = agpu_calc_blend_size,
    .pfnCreateBlendState = agpu_create_blend,
    .pfnDestroyBlendState = agpu_destroy_blend,
    .pfnCalcPrivateDepthStencilStateSize = agpu_calc_depth_stencil_size,
    .pfnCreateDepthStencilState = agpu_create_depth_stencil,
    .pfnDestroyDepthStencilState = agpu_destroy_depth_stencil,
    .pfnCalcPrivateRasterizerStateSize = agpu_calc_rasterizer_size,
    .pfnCreateRasterizerState = agpu_create_rasterizer,
    .pfnDestroyRasterizerState = agpu_destroy_rasterizer,
    .pfnCalcPrivateShaderSize = agpu_calc_shader_size,
    .pfnCreateVertexShader = agpu_create_vs,
    .pfnCreateHullShader = agpu_create_hs,
    .pfnCreateDomainShader = agpu_create_ds,
    .pfnCreateGeometryShader = agpu_create_gs,
    .pfnCalcPrivateGeometryShaderWithStreamOutput = agpu_calc_so_shader_size,
    .pfnCreateGeometryShaderWithStreamOutput = agpu_create_so_gs,
    .pfnCreatePixelShader = agpu_create_ps,
    .pfnCreateComputeShader = agpu_create_cs,
    .pfnCalcPrivateTessellationShaderSize = agpu_calc_shader_size,
    .pfnDestroyShader = agpu_destroy_shader,
    .pfnCalcPrivateSamplerSize = agpu_calc_sampler_size,
    .pfnCreateSampler = agpu_create_sampler,
    .pfnDestroySampler = agpu_destroy_sampler,
    .pfnCalcPrivateQuerySize = agpu_calc_query_size,
    .pfnCreateQuery = agpu_create_query,
    .pfnDestroyQuery = agpu_destroy_query,
    .pfnCheckFormatSupport = agpu_check_format_support,
    .pfnCheckMultisampleQualityLevels = agpu_check_multisample_levels,
    .pfnCheckCounterInfo = agpu_refuse_counter_info,
    .pfnCheckCounter = agpu_refuse_counter,
    .pfnCheckDeferredContextHandleSizes = agpu_refuse_handle_sizes,
    .pfnCalcDeferredContextHandleSize = agpu_small_context_handle_size,
    .pfnCalcPrivateDeferredContextSize = agpu_small_context_size,
    .pfnCreateDeferredContext = agpu_refuse_context,
    .pfnDestroyDeferredContext = agpu_ignore_context,
    .pfnAbandonCommandList = agpu_refuse_abandon,
    .pfnCalcPrivateCommandListSize = agpu_small_command_list_size,
    .pfnCreateCommandList = agpu_refuse_command_list,
    .pfnDestroyCommandList = agpu_ignore_command_list,
    .pfnRecycleCommandList = agpu_refuse_execute,
    .pfnRecycleCreateCommandList = agpu_refuse_command_list,
    .pfnRecycleCreateDeferredContext = agpu_refuse_context,
    .pfnRecycleDestroyCommandList = agpu_ignore_command_list,
    .pfnCalcPrivateClassLinkageSize = agpu_small_size,
    .pfnCreateClassLinkage = agpu_refuse_object,
    .pfnDestroyClassLinkage = agpu_ignore_object,
    .pfnCalcPrivateClassInstanceSize = agpu_small_size,
    .pfnCreateClassInstance = agpu_refuse_object,
    .pfnDestroyClassInstance = agpu_ignore_object,
    .pfnCalcPrivateCounterSize = agpu_small_size,
    .pfnCreateCounter = agpu_refuse_object,
    .pfnDestroyCounter = agpu_ignore_object,
    .pfnGetDeviceRemovedReason = agpu_device_state_ok,
    .pfnCheckDeviceState = agpu_device_state_ok,
    .pfnGetGammaCaps = agpu_refuse_object,
    .pfnSetResourcePriority = agpu_refuse_display_mode,
    .pfnQueryResourceResidency = agpu_refuse_residency,
    .pfnPresent = agpu_present,
    .pfnRotateResourceIdentities = agpu_rotate_resource_identities,
    .pfnBlt = agpu_blt,
    .pfnSetDisplayMode = agpu_refuse_display_mode,
    .pfnSetTextFilterSize = agpu_ignore_text_filter,
    .pfnRelocateDeviceFuncs = agpu_ignore_relocate11,
    .pfnCalcPrivatePredicateSize = agpu_small_size,
    .pfnCreatePredicate = agpu_refuse_object,
    .pfnDestroyPredicate = agpu_ignore_object,
};

#define STAGE(api, prefix)                                                                                   \
    .pfn##api##SetShader = agpu_##prefix##_set_shader,                                                       \
    .pfn##api##SetConstantBuffers = agpu_##prefix##_set_constant_buffers,                                    \
    .pfn##api##SetShaderResources = agpu_##prefix##_set_shader_resources,                                    \
    .pfn##api##SetSamplers = agpu_##prefix##_set_samplers

static const D3D11DDI_DEVICECONTEXTFUNCS context_funcs11 = {
    STAGE(Vs, vs),
    STAGE(Ps, ps),
    STAGE(Gs, gs),
    STAGE(Hs, hs),
    STAGE(Ds, ds),
    STAGE(Cs, cs),
    .pfnCsSetUnorderedAccessViews = agpu_cs_set_uavs,
    .pfnIaSetInputLayout = agpu_ia_set_input_layout,
    .pfnIaSetVertexBuffers = agpu_ia_set_vertex_buffers,
    .pfnIaSetIndexBuffer = agpu_ia_set_index_buffer,
    .pfnIaSetTopology = agpu_ia_set_topology,
    .pfnSoSetTargets = agpu_refuse_so_targets,
    .pfnSetViewports = agpu_set_viewports,
    .pfnSetScissorRects = agpu_set_scissors,
    .pfnSetRasterizerState = agpu_set_rasterizer,
    .pfnSetBlendState = agpu_set_blend,
    .pfnSetDepthStencilState = agpu_set_depth_stencil,
    .pfnSetRenderTargets = agpu_set_render_targets,
    .pfnSetRenderTargetsAndUnorderedAccessViews = agpu_set_render_targets_and_uavs,
    .pfnClearState = agpu_clear_state,
    .pfnDraw = agpu_draw,
    .pfnDrawIndexed = agpu_draw_indexed,
    .pfnDrawInstanced = agpu_draw_instanced,
    .pfnDrawIndexedInstanced = agpu_draw_indexed_instanced,
    .pfnDrawAuto = agpu_draw_auto,
    .pfnDrawInstancedIndirect = agpu_draw_instanced_indirect,
    .pfnDrawIndexedInstancedIndirect = agpu_draw_indexed_instanced_indirect,
    .pfnDispatch = agpu_dispatch,
    .pfnDispatchIndirect = agpu_dispatch_indirect,
    .pfnClearRenderTargetView = agpu_clear_rtv,
    .pfnClearDepthStencilView = agpu_clear_dsv,
    .pfnClearUnorderedAccessViewUint = agpu_refuse_clear_uint,
    .pfnClearUnorderedAccessViewFloat = agpu_refuse_clear_float,
    .pfnGenMips = agpu_refuse_gen_mips,
    .pfnResourceCopy = agpu_resource_copy,
    .pfnResourceCopyRegion = agpu_resource_copy_region,
    .pfnResourceUpdateSubresourceUP = agpu_update_subresource,
    .pfnDefaultConstantBufferUpdateSubresourceUP = agpu_update_subresource,
    .pfnResourceResolveSubresource = agpu_refuse_resolve,
    .pfnCopyStructureCount = agpu_refuse_structure_count,
    .pfnSetResourceMinLOD = agpu_ignore_min_lod,
    .pfnResourceMap = agpu_resource_map,
    .pfnResourceUnmap = agpu_resource_unmap,
    .pfnDynamicIABufferMapDiscard = agpu_dynamic_ia_map_discard,
    .pfnDynamicIABufferMapNoOverwrite = agpu_dynamic_ia_map_no_overwrite,
    .pfnDynamicIABufferUnmap = agpu_resource_unmap,
    .pfnDynamicConstantBufferMapDiscard = agpu_dynamic_cb_map_discard,
    .pfnDynamicConstantBufferMapNoOverwrite = agpu_dynamic_cb_map_no_overwrite,
    .pfnDynamicConstantBufferUnmap = agpu_resource_unmap,
    .pfnDynamicResourceMapDiscard = agpu_dynamic_resource_map_discard,
    .pfnDynamicResourceUnmap = agpu_resource_unmap,
    .pfnStagingResourceMap = agpu_staging_map,
    .pfnStagingResourceUnmap = agpu_resource_unmap,
    .pfnResourceIsStagingBusy = agpu_resource_is_staging_busy,
    .pfnQueryBegin = agpu_query_begin,
    .pfnQueryEnd = agpu_query_end,
    .pfnQueryGetData = agpu_query_get_data,
    .pfnSetPredication = agpu_refuse_predication,
    .pfnCommandListExecute = agpu_refuse_execute,
    .pfnFlush = agpu_flush,
    .pfnPresent = agpu_present,
    .pfnRotateResourceIdentities = agpu_rotate_resource_identities,
    .pfnSetMarker = agpu_ignore_text,
    .pfnBeginEvent = agpu_ignore_text,
    .pfnEndEvent = agpu_ignore_device,
    .pfnDiscardResource = agpu_ignore_resource,
    .pfnDiscardView = agpu_ignore_view,
};

HRESULT agpu_create_device11(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args)
{
    if (args == NULL || args->hDrvDevice.pDrvPrivate == NULL || args->p11DeviceFuncs == NULL ||
        args->p11ContextFuncs == NULL) {
        return E_INVALIDARG;
    }
    *args->p11DeviceFuncs = device_funcs11;
    *args->p11ContextFuncs = context_funcs11;
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
