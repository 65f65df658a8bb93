/* entries.h: entries that several function tables share, each named once. */
#ifndef AGPU_UMD_ENTRY_ENTRIES_H
#define AGPU_UMD_ENTRY_ENTRIES_H

#include "umd-port/base/flush.h"
#include "umd-port/base/query.h"
#include "umd-port/draw/clear.h"
#include "umd-port/draw/draw.h"
#include "umd-port/entry/create_device.h"
#include "umd-port/entry/creation.h"
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

/* One entry per line: */
/* clang-format off */
/* The entries of one shader stage. */
#define AGPU_STAGE_ENTRIES(api, prefix)                                                                      \
    .pfn##api##SetShader = agpu_##prefix##_set_shader,                                                       \
    .pfn##api##SetConstantBuffers = agpu_##prefix##_set_constant_buffers,                                    \
    .pfn##api##SetShaderResources = agpu_##prefix##_set_shader_resources,                                    \
    .pfn##api##SetSamplers = agpu_##prefix##_set_samplers

/* Device tables of Direct3D 10 and 11: objects and queries. */
#define AGPU_DEVICE_ENTRIES                                                                                  \
    AGPU_CREATIONS(AGPU_CREATION_ENTRY)                                                                      \
    .pfnDestroyDevice = agpu_destroy_device,                                                                 \
    .pfnDestroyResource = agpu_destroy_resource,                                                             \
    .pfnCalcPrivateShaderResourceViewSize = agpu_calc_srv_size,                                              \
    .pfnDestroyShaderResourceView = agpu_destroy_srv,                                                        \
    .pfnCalcPrivateRenderTargetViewSize = agpu_calc_rtv_size,                                                \
    .pfnDestroyRenderTargetView = agpu_destroy_rtv,                                                          \
    .pfnCalcPrivateDepthStencilViewSize = agpu_calc_dsv_size,                                                \
    .pfnDestroyDepthStencilView = agpu_destroy_dsv,                                                          \
    .pfnCalcPrivateElementLayoutSize = agpu_calc_element_layout_size,                                        \
    .pfnDestroyElementLayout = agpu_destroy_element_layout,                                                  \
    .pfnCalcPrivateBlendStateSize = agpu_calc_blend_size,                                                    \
    .pfnDestroyBlendState = agpu_destroy_blend,                                                              \
    .pfnCalcPrivateDepthStencilStateSize = agpu_calc_depth_stencil_size,                                     \
    .pfnDestroyDepthStencilState = agpu_destroy_depth_stencil,                                               \
    .pfnCalcPrivateRasterizerStateSize = agpu_calc_rasterizer_size,                                          \
    .pfnDestroyRasterizerState = agpu_destroy_rasterizer,                                                    \
    .pfnCalcPrivateShaderSize = agpu_calc_shader_size,                                                       \
    .pfnCalcPrivateGeometryShaderWithStreamOutput = agpu_calc_so_shader_size,                                \
    .pfnDestroyShader = agpu_destroy_shader,                                                                 \
    .pfnCalcPrivateSamplerSize = agpu_calc_sampler_size,                                                     \
    .pfnDestroySampler = agpu_destroy_sampler,                                                               \
    .pfnCalcPrivateQuerySize = agpu_calc_query_size,                                                         \
    .pfnDestroyQuery = agpu_destroy_query,                                                                   \
    .pfnCheckFormatSupport = agpu_check_format_support,                                                      \
    .pfnCheckMultisampleQualityLevels = agpu_check_multisample_levels,                                       \
    .pfnCheckCounterInfo = agpu_refuse_counter_info,                                                         \
    .pfnCheckCounter = agpu_refuse_check_counter,                                                            \
    .pfnGetDeviceRemovedReason = agpu_get_device_removed_reason,                                             \
    .pfnSetTextFilterSize = agpu_ignore_text_filter

/* All tables that record: Direct3D 10, the immediate context of 11, deferred contexts. */
#define AGPU_RECORDING_ENTRIES                                                                               \
    AGPU_STAGE_ENTRIES(Vs, vs),                                                                              \
    AGPU_STAGE_ENTRIES(Ps, ps),                                                                              \
    AGPU_STAGE_ENTRIES(Gs, gs),                                                                              \
    .pfnIaSetInputLayout = agpu_ia_set_input_layout,                                                         \
    .pfnIaSetVertexBuffers = agpu_ia_set_vertex_buffers,                                                     \
    .pfnIaSetIndexBuffer = agpu_ia_set_index_buffer,                                                         \
    .pfnIaSetTopology = agpu_ia_set_topology,                                                                \
    .pfnSoSetTargets = agpu_refuse_so_targets,                                                               \
    .pfnSetViewports = agpu_set_viewports,                                                                   \
    .pfnSetScissorRects = agpu_set_scissors,                                                                 \
    .pfnSetRasterizerState = agpu_set_rasterizer,                                                            \
    .pfnSetBlendState = agpu_set_blend,                                                                      \
    .pfnSetDepthStencilState = agpu_set_depth_stencil,                                                       \
    .pfnSetRenderTargets = agpu_set_render_targets,                                                          \
    .pfnClearState = agpu_clear_state,                                                                       \
    .pfnDraw = agpu_draw,                                                                                    \
    .pfnDrawIndexed = agpu_draw_indexed,                                                                     \
    .pfnDrawInstanced = agpu_draw_instanced,                                                                 \
    .pfnDrawIndexedInstanced = agpu_draw_indexed_instanced,                                                  \
    .pfnDrawAuto = agpu_draw_auto,                                                                           \
    .pfnClearDepthStencilView = agpu_clear_dsv,                                                              \
    .pfnGenMips = agpu_refuse_gen_mips,                                                                      \
    .pfnResourceCopy = agpu_resource_copy,                                                                   \
    .pfnResourceResolveSubresource = agpu_refuse_resolve,                                                    \
    .pfnQueryBegin = agpu_query_begin,                                                                       \
    .pfnSetPredication = agpu_refuse_predication

/* Additional entries of Direct3D 11, for immediate and deferred contexts. */
#define AGPU_RECORDING_ENTRIES11                                                                             \
    AGPU_STAGE_ENTRIES(Hs, hs),                                                                              \
    AGPU_STAGE_ENTRIES(Ds, ds),                                                                              \
    AGPU_STAGE_ENTRIES(Cs, cs),                                                                              \
    .pfnCsSetUnorderedAccessViews = agpu_cs_set_uavs,                                                        \
    .pfnSetRenderTargetsAndUnorderedAccessViews = agpu_set_render_targets_and_uavs,                          \
    .pfnDispatch = agpu_dispatch,                                                                            \
    .pfnClearUnorderedAccessViewUint = agpu_refuse_clear_uint,                                               \
    .pfnClearUnorderedAccessViewFloat = agpu_refuse_clear_float,                                             \
    .pfnCopyStructureCount = agpu_refuse_structure_count,                                                    \
    .pfnSetResourceMinLOD = agpu_ignore_min_lod,                                                             \
    .pfnSetMarker = agpu_set_marker,                                                                         \
    .pfnBeginEvent = agpu_begin_event,                                                                       \
    .pfnEndEvent = agpu_end_event,                                                                           \
    .pfnDiscardResource = agpu_ignore_discard_resource,                                                      \
    .pfnDiscardView = agpu_ignore_view

/* Entries that need the device at once: Direct3D 10 and the immediate context of 11. */
#define AGPU_IMMEDIATE_ENTRIES                                                                               \
    .pfnClearRenderTargetView = agpu_clear_rtv,                                                              \
    .pfnResourceCopyRegion = agpu_resource_copy_region,                                                      \
    .pfnResourceUpdateSubresourceUP = agpu_update_subresource,                                               \
    .pfnDefaultConstantBufferUpdateSubresourceUP = agpu_update_constant_buffer,                              \
    .pfnResourceMap = agpu_resource_map,                                                                     \
    .pfnResourceUnmap = agpu_resource_unmap,                                                                 \
    .pfnDynamicIABufferMapDiscard = agpu_dynamic_ia_map_discard,                                             \
    .pfnDynamicIABufferMapNoOverwrite = agpu_dynamic_ia_map_no_overwrite,                                    \
    .pfnDynamicIABufferUnmap = agpu_dynamic_ia_unmap,                                                        \
    .pfnDynamicConstantBufferMapDiscard = agpu_dynamic_cb_map_discard,                                       \
    .pfnDynamicConstantBufferUnmap = agpu_dynamic_cb_unmap,                                                  \
    .pfnDynamicResourceMapDiscard = agpu_dynamic_resource_map_discard,                                       \
    .pfnDynamicResourceUnmap = agpu_dynamic_resource_unmap,                                                  \
    .pfnStagingResourceMap = agpu_staging_map,                                                               \
    .pfnStagingResourceUnmap = agpu_staging_unmap,                                                           \
    .pfnResourceIsStagingBusy = agpu_resource_is_staging_busy,                                               \
    .pfnQueryEnd = agpu_query_end,                                                                           \
    .pfnQueryGetData = agpu_query_get_data,                                                                  \
    .pfnFlush = agpu_flush,                                                                                  \
    .pfnPresent = agpu_present,                                                                              \
    .pfnRotateResourceIdentities = agpu_rotate_resource_identities
/* clang-format on */

#endif
