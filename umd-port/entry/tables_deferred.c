/* tables_deferred.c: the function table of deferred contexts: what sets state or draws is the immediate
 * context's entry, which records into the context it is given. */
#include "umd-port/entry/tables_deferred.h"

#include "umd-port/base/query.h"
#include "umd-port/deferred/calls.h"
#include "umd-port/deferred/content.h"
#include "umd-port/deferred/context.h"
#include "umd-port/deferred/deferred.h"
#include "umd-port/deferred/command_list.h"
#include "umd-port/draw/clear.h"
#include "umd-port/draw/draw.h"
#include "umd-port/entry/device.h"
#include "umd-port/entry/rotate.h"
#include "umd-port/entry/unsupported.h"
#include "umd-port/resource/copy.h"
#include "umd-port/state/clear_state.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/shaders.h"
#include "umd-port/state/stages.h"
#include "umd-port/state/targets.h"
#include "umd-port/state/viewport.h"

#define STAGE(api, prefix)                                                                                   \
    .pfn##api##SetShader = agpu_##prefix##_set_shader,                                                       \
    .pfn##api##SetConstantBuffers = agpu_##prefix##_set_constant_buffers,                                    \
    .pfn##api##SetShaderResources = agpu_##prefix##_set_shader_resources,                                    \
    .pfn##api##SetSamplers = agpu_##prefix##_set_samplers

const D3D11DDI_DEVICECONTEXTFUNCS agpu_deferred_context_funcs = {
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
    .pfnDrawInstancedIndirect = agpu_deferred_draw_instanced_indirect,
    .pfnDrawIndexedInstancedIndirect = agpu_deferred_draw_indexed_indirect,
    .pfnDispatch = agpu_dispatch,
    .pfnDispatchIndirect = agpu_deferred_dispatch_indirect,
    .pfnClearRenderTargetView = agpu_deferred_clear_rtv,
    .pfnClearDepthStencilView = agpu_clear_dsv,
    .pfnClearUnorderedAccessViewUint = agpu_refuse_clear_uint,
    .pfnClearUnorderedAccessViewFloat = agpu_refuse_clear_float,
    .pfnGenMips = agpu_refuse_gen_mips,
    .pfnResourceCopy = agpu_resource_copy,
    .pfnResourceCopyRegion = agpu_deferred_copy_region,
    .pfnResourceUpdateSubresourceUP = agpu_deferred_update,
    .pfnDefaultConstantBufferUpdateSubresourceUP = agpu_deferred_update,
    .pfnResourceResolveSubresource = agpu_refuse_resolve,
    .pfnCopyStructureCount = agpu_refuse_structure_count,
    .pfnSetResourceMinLOD = agpu_ignore_min_lod,
    .pfnResourceMap = agpu_deferred_map,
    .pfnResourceUnmap = agpu_deferred_unmap,
    .pfnDynamicIABufferMapDiscard = agpu_deferred_ia_discard,
    .pfnDynamicIABufferMapNoOverwrite = agpu_deferred_ia_no_overwrite,
    .pfnDynamicIABufferUnmap = agpu_deferred_unmap,
    .pfnDynamicConstantBufferMapDiscard = agpu_deferred_cb_discard,
    .pfnDynamicConstantBufferMapNoOverwrite = agpu_deferred_cb_no_overwrite,
    .pfnDynamicConstantBufferUnmap = agpu_deferred_unmap,
    .pfnDynamicResourceMapDiscard = agpu_deferred_resource_discard,
    .pfnDynamicResourceUnmap = agpu_deferred_unmap,
    .pfnStagingResourceMap = agpu_deferred_staging_map,
    .pfnStagingResourceUnmap = agpu_deferred_unmap,
    .pfnResourceIsStagingBusy = agpu_deferred_is_staging_busy,
    .pfnQueryBegin = agpu_query_begin,
    .pfnQueryEnd = agpu_deferred_query_end,
    .pfnQueryGetData = agpu_deferred_get_data,
    .pfnSetPredication = agpu_refuse_predication,
    .pfnCommandListExecute = agpu_command_list_execute,
    .pfnFlush = agpu_deferred_flush,
    .pfnPresent = agpu_deferred_present,
    .pfnRotateResourceIdentities = agpu_deferred_rotate,
    .pfnSetMarker = agpu_set_marker,
    .pfnBeginEvent = agpu_begin_event,
    .pfnEndEvent = agpu_end_event,
    .pfnDiscardResource = agpu_ignore_discard_resource,
    .pfnDiscardView = agpu_ignore_view,
};

static HRESULT create_deferred_context(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    HRESULT hr = agpu_create_deferred_context(device, args);

    if (SUCCEEDED(hr)) {
        *args->p11ContextFuncs = agpu_deferred_context_funcs;
    }
    return hr;
}

static HRESULT recycle_create_deferred_context(D3D10DDI_HDEVICE device,
                                               const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    HRESULT hr = agpu_recycle_create_deferred_context(device, args);

    if (SUCCEEDED(hr)) {
        *args->p11ContextFuncs = agpu_deferred_context_funcs;
    }
    return hr;
}

/* The device table is also what a deferred context's handle may be passed to. */
static HRESULT rotate_on_any_context(D3D10DDI_HDEVICE handle,
                                     const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args)
{
    return agpu_deferred_of(handle) != NULL ? agpu_deferred_rotate(handle, args)
                                            : agpu_rotate_resource_identities(handle, args);
}

/* What contexts share outlives the device as long as one of them refers to it. */
static void destroy_sharing_device(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL || agpu_deferred_of(handle) != NULL) {
        return;
    }
    struct agpu_sharing *sharing = context->device->sharing;
    if (sharing != NULL) {
        agpu_sharing_bury(sharing);
    }
    agpu_destroy_device(handle);
    if (sharing != NULL) {
        agpu_sharing_close(sharing);
    }
}

HRESULT agpu_install_deferred_entries(struct agpu_device *device, D3D11DDI_DEVICEFUNCS *device_funcs,
                                      D3D11DDI_DEVICECONTEXTFUNCS *context_funcs)
{
    HRESULT hr = agpu_offer_deferred_contexts(device, device_funcs, context_funcs);

    if (FAILED(hr) || device->sharing == NULL) {
        return hr;
    }
    device_funcs->pfnDestroyDevice = destroy_sharing_device;
    device_funcs->pfnRotateResourceIdentities = rotate_on_any_context;
    device_funcs->pfnCreateDeferredContext = create_deferred_context;
    device_funcs->pfnRecycleCreateDeferredContext = recycle_create_deferred_context;
    return S_OK;
}
