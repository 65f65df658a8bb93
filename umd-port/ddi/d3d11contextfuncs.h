/* d3d11contextfuncs.h: the Direct3D 11 context function table. umd.md 18 defines its order, sizes and offsets.
 * Immediate and deferred contexts share the type; the HDEVICE distinguishes them. */
#ifndef AGPU_UMD_DDI_D3D11CONTEXTFUNCS_H
#define AGPU_UMD_DDI_D3D11CONTEXTFUNCS_H

#include "umd-port/ddi/d3d10ddiarg.h"

typedef struct D3D11DDI_DEVICECONTEXTFUNCS {
    void (*pfnVsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnVsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnVsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnVsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnPsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnPsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnPsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnPsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnGsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnGsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnGsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnGsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnHsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnHsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnHsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnHsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnDsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnDsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnDsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnDsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnCsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnCsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnCsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnCsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnCsSetUnorderedAccessViews)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                         const D3D11DDI_HUNORDEREDACCESSVIEW *,
                                         const uint32_t *initial_counts);
    void (*pfnIaSetInputLayout)(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
    void (*pfnIaSetVertexBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                  const D3D10DDI_HRESOURCE *, const uint32_t *strides,
                                  const uint32_t *offsets);
    void (*pfnIaSetIndexBuffer)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t format, uint32_t offset);
    void (*pfnIaSetTopology)(D3D10DDI_HDEVICE, uint32_t topology);
    void (*pfnSoSetTargets)(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_targets,
                            const D3D10DDI_HRESOURCE *, const uint32_t *offsets);
    void (*pfnSetViewports)(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots,
                            const D3D10_DDI_VIEWPORT *);
    void (*pfnSetScissorRects)(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots,
                               const D3D10_DDI_RECT *);
    void (*pfnSetRasterizerState)(D3D10DDI_HDEVICE, D3D10DDI_HRASTERIZERSTATE);
    void (*pfnSetBlendState)(D3D10DDI_HDEVICE, D3D10DDI_HBLENDSTATE, const float *factor4,
                             uint32_t sample_mask);
    void (*pfnSetDepthStencilState)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILSTATE, uint32_t stencil_ref);
    void (*pfnSetRenderTargets)(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *, uint32_t count,
                                uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW);
    void (*pfnSetRenderTargetsAndUnorderedAccessViews)(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *,
                                                       uint32_t rtv_count, D3D10DDI_HDEPTHSTENCILVIEW,
                                                       const D3D11DDI_HUNORDEREDACCESSVIEW *,
                                                       const uint32_t *initial_counts, uint32_t first_uav,
                                                       uint32_t uav_count);
    void (*pfnClearState)(D3D10DDI_HDEVICE);
    void (*pfnDraw)(D3D10DDI_HDEVICE, uint32_t count, uint32_t first_vertex);
    void (*pfnDrawIndexed)(D3D10DDI_HDEVICE, uint32_t count, uint32_t first_index, int32_t base_vertex);
    void (*pfnDrawInstanced)(D3D10DDI_HDEVICE, uint32_t vertex_count, uint32_t instance_count,
                             uint32_t first_vertex, uint32_t first_instance);
    void (*pfnDrawIndexedInstanced)(D3D10DDI_HDEVICE, uint32_t index_count, uint32_t instance_count,
                                    uint32_t first_index, int32_t base_vertex, uint32_t first_instance);
    void (*pfnDrawAuto)(D3D10DDI_HDEVICE);
    void (*pfnDrawInstancedIndirect)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE arguments, uint32_t offset);
    void (*pfnDrawIndexedInstancedIndirect)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE arguments, uint32_t offset);
    void (*pfnDispatch)(D3D10DDI_HDEVICE, uint32_t x, uint32_t y, uint32_t z);
    void (*pfnDispatchIndirect)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE arguments, uint32_t offset);
    void (*pfnClearRenderTargetView)(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW, const float *rgba);
    void (*pfnClearDepthStencilView)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW, uint32_t flags,
                                     float depth, uint8_t stencil);
    void (*pfnClearUnorderedAccessViewUint)(D3D10DDI_HDEVICE, D3D11DDI_HUNORDEREDACCESSVIEW,
                                            const uint32_t *values4);
    void (*pfnClearUnorderedAccessViewFloat)(D3D10DDI_HDEVICE, D3D11DDI_HUNORDEREDACCESSVIEW,
                                             const float *values4);
    void (*pfnGenMips)(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW);
    void (*pfnResourceCopy)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src);
    HRESULT(*pfnResourceCopyRegion)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource, uint32_t x, uint32_t y, uint32_t z,
     D3D10DDI_HRESOURCE src, uint32_t src_subresource, const D3D10_DDI_BOX *src_box);
    void (*pfnResourceUpdateSubresourceUP)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                           const D3D10_DDI_BOX *, const void *data, uint32_t row_pitch,
                                           uint32_t depth_pitch);
    void (*pfnDefaultConstantBufferUpdateSubresourceUP)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE,
                                                        uint32_t subresource, const D3D10_DDI_BOX *,
                                                        const void *data, uint32_t row_pitch,
                                                        uint32_t depth_pitch);
    void (*pfnResourceResolveSubresource)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                                          D3D10DDI_HRESOURCE src, uint32_t src_subresource, uint32_t format);
    void (*pfnCopyStructureCount)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, uint32_t offset,
                                  D3D11DDI_HUNORDEREDACCESSVIEW);
    void (*pfnSetResourceMinLOD)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, float lod);
    HRESULT(*pfnResourceMap)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnResourceUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    HRESULT(*pfnDynamicIABufferMapDiscard)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    HRESULT(*pfnDynamicIABufferMapNoOverwrite)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicIABufferUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    HRESULT(*pfnDynamicConstantBufferMapDiscard)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    HRESULT(*pfnDynamicConstantBufferMapNoOverwrite)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicConstantBufferUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    HRESULT(*pfnDynamicResourceMapDiscard)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicResourceUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    HRESULT(*pfnStagingResourceMap)
    (D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type, uint32_t map_flags,
     D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnStagingResourceUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    uint32_t (*pfnResourceIsStagingBusy)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
    void (*pfnQueryBegin)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);
    void (*pfnQueryEnd)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);
    HRESULT (*pfnQueryGetData)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, void *data, uint32_t size, uint32_t flags);
    void (*pfnSetPredication)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, uint32_t value);
    void (*pfnCommandListExecute)(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
    HRESULT (*pfnFlush)(D3D10DDI_HDEVICE);
    HRESULT (*pfnPresent)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_PRESENT *);
    HRESULT (*pfnRotateResourceIdentities)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *);
    void (*pfnSetMarker)(D3D10DDI_HDEVICE, const char *text);
    void (*pfnBeginEvent)(D3D10DDI_HDEVICE, const char *text);
    void (*pfnEndEvent)(D3D10DDI_HDEVICE);
    void (*pfnDiscardResource)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
    void (*pfnDiscardView)(D3D10DDI_HDEVICE, HANDLE view);
} D3D11DDI_DEVICECONTEXTFUNCS;

#endif
