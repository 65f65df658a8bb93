/* tables10.c: the Direct3D 10 and 10.1 device table. */
#include "umd-port/entry/tables10.h"

#include "umd-port/base/flush.h"
#include "umd-port/base/query.h"
#include "umd-port/draw/clear.h"
#include "umd-port/draw/draw.h"
#include "umd-port/entry/device.h"
#include "umd-port/entry/rotate.h"
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

static const D3D10DDI_DEVICEFUNCS device_funcs10 = {
    .pfnDestroyDevice = agpu_destroy_device,
    .pfnCalcPrivateResourceSize = agpu_calc_resource_size,
    .pfnCreateResource = agpu_create_resource,
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
    .pfnCreateGeometryShader = agpu_create_gs,
    .pfnCreatePixelShader = agpu_create_ps,
    .pfnCalcPrivateGeometryShaderWithStreamOutput = agpu_calc_so_shader_size,
    .pfnCreateGeometryShaderWithStreamOutput = agpu_create_so_gs,
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
    .pfnVsSetConstantBuffers = agpu_vs_set_constant_buffers,
    .pfnPsSetShaderResources = agpu_ps_set_shader_resources,
    .pfnPsSetShader = agpu_ps_set_shader,
    .pfnPsSetSamplers = agpu_ps_set_samplers,
    .pfnVsSetShader = agpu_vs_set_shader,
    .pfnPsSetConstantBuffers = agpu_ps_set_constant_buffers,
    .pfnIaSetInputLayout = agpu_ia_set_input_layout,
    .pfnIaSetVertexBuffers = agpu_ia_set_vertex_buffers,
    .pfnIaSetIndexBuffer = agpu_ia_set_index_buffer,
    .pfnGsSetConstantBuffers = agpu_gs_set_constant_buffers,
    .pfnGsSetShader = agpu_gs_set_shader,
    .pfnIaSetTopology = agpu_ia_set_topology,
    .pfnVsSetShaderResources = agpu_vs_set_shader_resources,
    .pfnVsSetSamplers = agpu_vs_set_samplers,
    .pfnGsSetShaderResources = agpu_gs_set_shader_resources,
    .pfnGsSetSamplers = agpu_gs_set_samplers,
    .pfnSetRenderTargets = agpu_set_render_targets,
    .pfnSoSetTargets = agpu_refuse_so_targets,
    .pfnSetBlendState = agpu_set_blend,
    .pfnSetDepthStencilState = agpu_set_depth_stencil,
    .pfnSetRasterizerState = agpu_set_rasterizer,
    .pfnSetViewports = agpu_set_viewports,
    .pfnSetScissorRects = agpu_set_scissors,
    .pfnDrawIndexed = agpu_draw_indexed,
    .pfnDraw = agpu_draw,
    .pfnDrawIndexedInstanced = agpu_draw_indexed_instanced,
    .pfnDrawInstanced = agpu_draw_instanced,
    .pfnDrawAuto = agpu_draw_auto,
    .pfnClearState = agpu_clear_state,
    .pfnPresent = agpu_present,
    .pfnFlush = agpu_flush,
    .pfnRotateResourceIdentities = agpu_rotate_resource_identities,
    .pfnClearRenderTargetView = agpu_clear_rtv,
    .pfnClearDepthStencilView = agpu_clear_dsv,
    .pfnGenMips = agpu_refuse_gen_mips,
    .pfnResourceCopy = agpu_resource_copy,
    .pfnResourceCopyRegion = agpu_resource_copy_region,
    .pfnResourceUpdateSubresourceUP = agpu_update_subresource,
    .pfnDefaultConstantBufferUpdateSubresourceUP = agpu_update_subresource,
    .pfnResourceResolveSubresource = agpu_refuse_resolve,
    .pfnResourceMap = agpu_resource_map,
    .pfnResourceUnmap = agpu_resource_unmap,
    .pfnDynamicIABufferMapDiscard = agpu_dynamic_ia_map_discard,
    .pfnDynamicIABufferMapNoOverwrite = agpu_dynamic_ia_map_no_overwrite,
    .pfnDynamicIABufferUnmap = agpu_resource_unmap,
    .pfnDynamicConstantBufferMapDiscard = agpu_dynamic_cb_map_discard,
    .pfnDynamicConstantBufferUnmap = agpu_resource_unmap,
    .pfnDynamicResourceMapDiscard = agpu_dynamic_resource_map_discard,
    .pfnDynamicResourceUnmap = agpu_resource_unmap,
    .pfnStagingResourceMap = agpu_staging_map,
    .pfnStagingResourceUnmap = agpu_resource_unmap,
    .pfnResourceIsStagingBusy = agpu_resource_is_staging_busy,
    .pfnResourceReadAfterWriteHazard = agpu_ignore_resource,
    .pfnShaderResourceViewReadAfterWriteHazard = agpu_ignore_srv_hazard,
    .pfnQueryBegin = agpu_query_begin,
    .pfnQueryEnd = agpu_query_end,
    .pfnQueryGetData = agpu_query_get_data,
    .pfnSetPredication = agpu_refuse_predication,
    .pfnSetTextFilterSize = agpu_ignore_text_filter,
    .pfnRelocateDeviceFuncs = agpu_ignore_relocate10,
    .pfnGetDeviceRemovedReason = agpu_device_state_ok,
};

HRESULT agpu_create_device10(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE *args)
{
    if (args == NULL || args->hDrvDevice.pDrvPrivate == NULL || args->pDeviceFuncs == NULL) {
        return E_INVALIDARG;
    }
    *args->pDeviceFuncs = device_funcs10;
    bool d3d10_1 = args->Interface == D3D10_1_DDI_INTERFACE_VERSION;
    return agpu_create_device(adapter, args, d3d10_1 ? AGPU_COOKIE_D3D10_1 : AGPU_COOKIE_D3D10,
                              d3d10_1 ? AGPU_DDI_VERTEX_BUFFER_SLOTS : AGPU_DDI_D3D10_VERTEX_SLOTS);
}
