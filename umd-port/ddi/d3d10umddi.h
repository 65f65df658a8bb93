/* d3d10umddi.h: adapter opening and the Direct3D 10 and 10.1 device function table. umd.md 18 defines its order, sizes
 * and offsets. */
#ifndef AGPU_UMD_DDI_D3D10UMDDI_H
#define AGPU_UMD_DDI_D3D10UMDDI_H

#include "umd-port/ddi/d3d10ddiarg.h"
#include "umd-port/ddi/d3dddicb.h"

/* Interface numbers, and the one interface version that each supports. An open call with Version 0 gets it filled
 * in. */
#define D3D10_0_DDI_INTERFACE_VERSION 0x000A0000u
#define D3D10_1_DDI_INTERFACE_VERSION 0x000A0001u
#define D3D11_0_DDI_INTERFACE_VERSION 0x000B0000u
#define D3D10_0_DDI_SUPPORTED         0x000A0000u
#define D3D10_1_DDI_SUPPORTED         0x000A0001u
#define D3D11_0_DDI_SUPPORTED         0x000B0000u

/* Caps queries that an adapter answers (umd.md 1.2, 14). */
typedef enum D3D11DDICAPS_TYPE {
    D3D11DDICAPS_THREADING = 0,
    D3D11DDICAPS_SHADER = 1, /* doubles */
    D3D11DDICAPS_FORMAT_SUPPORT = 2,
    D3D11DDICAPS_FORMAT_SUPPORT2 = 3,
    D3D11DDICAPS_D3D10_X_HW_OPTIONS = 4,
    D3D11DDICAPS_D3D11_OPTIONS = 5,
    D3D11DDICAPS_ARCHITECTURE_INFO = 6,
    D3D11DDICAPS_D3D9_OPTIONS = 7,
    D3D11DDICAPS_FEATURE_LEVELS = 8,
    D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS = 9,
} D3D11DDICAPS_TYPE;

/* Bits of the answer to D3D11DDICAPS_THREADING. */
#define D3D11DDICAPS_FREETHREADED 0x1u
#define D3D11DDICAPS_COMMANDLISTS 0x4u /* 0x2: an earlier interface, deprecated */

typedef struct D3D10_2DDIARG_GETCAPS {
    uint32_t Type; /* D3D11DDICAPS_TYPE */
    uint32_t DataSize;
    void *pData; /* in: query, out: answer; layout by type */
} D3D10_2DDIARG_GETCAPS;

typedef struct D3D10DDI_CORELAYER_DEVICECALLBACKS {
    /* Reports an error of an entry point without a result. */
    void (*pfnSetErrorCb)(D3D10DDI_HRTCORELAYER hCoreLayer, HRESULT error);
} D3D10DDI_CORELAYER_DEVICECALLBACKS;

typedef struct D3D10DDI_DEVICEFUNCS D3D10DDI_DEVICEFUNCS;
typedef struct D3D10DDI_DEVICEFUNCS D3D10_1DDI_DEVICEFUNCS;
struct D3D11DDI_DEVICEFUNCS;
struct D3D11DDI_DEVICECONTEXTFUNCS;

typedef struct DXGI_DDI_BASE_ARGS {
    const void *pDXGIBaseCallbacks;
    void *pDXGIDDIBaseFunctions;
} DXGI_DDI_BASE_ARGS;

typedef struct D3D10DDIARG_CREATEDEVICE {
    D3D10DDI_HRTDEVICE hRTDevice;
    uint32_t Interface;
    uint32_t Version;
    const D3DDDI_DEVICECALLBACKS *pKTCallbacks; /* read at each use; outlives the device */
    union {
        D3D10DDI_DEVICEFUNCS *pDeviceFuncs;
        D3D10_1DDI_DEVICEFUNCS *p10_1DeviceFuncs;
        struct D3D11DDI_DEVICEFUNCS *p11DeviceFuncs;
    };
    D3D10DDI_HDEVICE hDrvDevice;
    DXGI_DDI_BASE_ARGS DXGIBaseDDI; /* not used: the device tables hold the entries of DXGI */
    D3D10DDI_HRTCORELAYER hRTCoreLayer;
    const D3D10DDI_CORELAYER_DEVICECALLBACKS *pUMCallbacks;
    uint32_t Flags;
    /* extension, Direct3D 11: the immediate context; its HDEVICE is hDrvDevice */
    struct D3D11DDI_DEVICECONTEXTFUNCS *p11ContextFuncs;
} D3D10DDIARG_CREATEDEVICE;

typedef struct D3D10DDIARG_CALCPRIVATEDEVICESIZE {
    uint32_t Interface;
    uint32_t Version;
    uint32_t Flags;
} D3D10DDIARG_CALCPRIVATEDEVICESIZE;

typedef struct D3D10DDI_ADAPTERFUNCS {
    HRESULT (*pfnGetCaps)(D3D10DDI_HADAPTER hAdapter, const D3D10_2DDIARG_GETCAPS *args);
    size_t (*pfnCalcPrivateDeviceSize)(D3D10DDI_HADAPTER hAdapter,
                                       const D3D10DDIARG_CALCPRIVATEDEVICESIZE *args);
    HRESULT (*pfnCreateDevice)(D3D10DDI_HADAPTER hAdapter, D3D10DDIARG_CREATEDEVICE *args);
    HRESULT (*pfnCloseAdapter)(D3D10DDI_HADAPTER hAdapter);
} D3D10DDI_ADAPTERFUNCS;
typedef D3D10DDI_ADAPTERFUNCS D3D10_2DDI_ADAPTERFUNCS;

typedef struct D3D11DDI_ADAPTERFUNCS {
    HRESULT (*pfnGetCaps)(D3D10DDI_HADAPTER hAdapter, const D3D10_2DDIARG_GETCAPS *args);
    size_t (*pfnCalcPrivateDeviceSize)(D3D10DDI_HADAPTER hAdapter,
                                       const D3D10DDIARG_CALCPRIVATEDEVICESIZE *args);
    size_t (*pfnCalcPrivateDeviceContextSize)(D3D10DDI_HADAPTER hAdapter,
                                              const D3D10DDIARG_CALCPRIVATEDEVICESIZE *args);
    HRESULT (*pfnCreateDevice)(D3D10DDI_HADAPTER hAdapter, D3D10DDIARG_CREATEDEVICE *args);
    HRESULT (*pfnCloseAdapter)(D3D10DDI_HADAPTER hAdapter);
} D3D11DDI_ADAPTERFUNCS;

typedef struct D3D10DDIARG_OPENADAPTER {
    uint32_t Interface;
    uint32_t Version; /* in and out */
    D3D10DDI_HRTADAPTER hRTAdapter;
    D3D10DDI_HADAPTER hAdapter; /* out */
    const D3DDDI_ADAPTERCALLBACKS *pAdapterCallbacks;
    union {
        D3D10DDI_ADAPTERFUNCS *pAdapterFuncs;
        D3D10_2DDI_ADAPTERFUNCS *pAdapterFuncs_2;
        D3D11DDI_ADAPTERFUNCS *pAdapterFuncs_11;
    };
} D3D10DDIARG_OPENADAPTER;

/* Functions that return void report errors once through SetErrorCb; the others return an HRESULT. */
struct D3D10DDI_DEVICEFUNCS {
    void (*pfnDestroyDevice)(D3D10DDI_HDEVICE);
    size_t (*pfnCalcPrivateResourceSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERESOURCE *);
    void (*pfnCreateResource)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERESOURCE *, D3D10DDI_HRESOURCE,
                              D3D10DDI_HRTRESOURCE);
    void (*pfnOpenResource)(D3D10DDI_HDEVICE, const D3D10DDIARG_OPENRESOURCE *, D3D10DDI_HRESOURCE,
                            D3D10DDI_HRTRESOURCE);
    void (*pfnDestroyResource)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);

    size_t (*pfnCalcPrivateShaderResourceViewSize)(D3D10DDI_HDEVICE,
                                                   const D3D10DDIARG_CREATESHADERRESOURCEVIEW *);
    void (*pfnCreateShaderResourceView)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *,
                                        D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW);
    void (*pfnDestroyShaderResourceView)(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW);
    size_t (*pfnCalcPrivateRenderTargetViewSize)(D3D10DDI_HDEVICE,
                                                 const D3D10DDIARG_CREATERENDERTARGETVIEW *);
    void (*pfnCreateRenderTargetView)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERENDERTARGETVIEW *,
                                      D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW);
    void (*pfnDestroyRenderTargetView)(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW);
    size_t (*pfnCalcPrivateDepthStencilViewSize)(D3D10DDI_HDEVICE,
                                                 const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *);
    void (*pfnCreateDepthStencilView)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *,
                                      D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW);
    void (*pfnDestroyDepthStencilView)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW);

    size_t (*pfnCalcPrivateElementLayoutSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *);
    void (*pfnCreateElementLayout)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *,
                                   D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HRTELEMENTLAYOUT);
    void (*pfnDestroyElementLayout)(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
    size_t (*pfnCalcPrivateBlendStateSize)(D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC *);
    void (*pfnCreateBlendState)(D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC *, D3D10DDI_HBLENDSTATE,
                                D3D10DDI_HRTBLENDSTATE);
    void (*pfnDestroyBlendState)(D3D10DDI_HDEVICE, D3D10DDI_HBLENDSTATE);
    size_t (*pfnCalcPrivateDepthStencilStateSize)(D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC *);
    void (*pfnCreateDepthStencilState)(D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC *,
                                       D3D10DDI_HDEPTHSTENCILSTATE, D3D10DDI_HRTDEPTHSTENCILSTATE);
    void (*pfnDestroyDepthStencilState)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILSTATE);
    size_t (*pfnCalcPrivateRasterizerStateSize)(D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC *);
    void (*pfnCreateRasterizerState)(D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC *,
                                     D3D10DDI_HRASTERIZERSTATE, D3D10DDI_HRTRASTERIZERSTATE);
    void (*pfnDestroyRasterizerState)(D3D10DDI_HDEVICE, D3D10DDI_HRASTERIZERSTATE);
    size_t (*pfnCalcPrivateShaderSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *);
    void (*pfnCreateVertexShader)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                                  D3D10DDI_HRTSHADER);
    void (*pfnCreateGeometryShader)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                                    D3D10DDI_HRTSHADER);
    void (*pfnCreatePixelShader)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER,
                                 D3D10DDI_HRTSHADER);
    size_t (*pfnCalcPrivateGeometryShaderWithStreamOutput)(
        D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *);
    void (*pfnCreateGeometryShaderWithStreamOutput)(D3D10DDI_HDEVICE,
                                                    const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *,
                                                    D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    void (*pfnDestroyShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    size_t (*pfnCalcPrivateSamplerSize)(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *);
    void (*pfnCreateSampler)(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *, D3D10DDI_HSAMPLER,
                             D3D10DDI_HRTSAMPLER);
    void (*pfnDestroySampler)(D3D10DDI_HDEVICE, D3D10DDI_HSAMPLER);
    size_t (*pfnCalcPrivateQuerySize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEQUERY *);
    void (*pfnCreateQuery)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEQUERY *, D3D10DDI_HQUERY,
                           D3D10DDI_HRTQUERY);
    void (*pfnDestroyQuery)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);

    void (*pfnCheckFormatSupport)(D3D10DDI_HDEVICE, uint32_t format, uint32_t *support);
    void (*pfnCheckMultisampleQualityLevels)(D3D10DDI_HDEVICE, uint32_t format, uint32_t samples,
                                             uint32_t *levels);
    void (*pfnCheckCounterInfo)(D3D10DDI_HDEVICE, void *info);
    void (*pfnCheckCounter)(D3D10DDI_HDEVICE, uint32_t counter);

    void (*pfnVsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnPsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnPsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnPsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnVsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnPsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnIaSetInputLayout)(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
    void (*pfnIaSetVertexBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                  const D3D10DDI_HRESOURCE *, const uint32_t *strides,
                                  const uint32_t *offsets);
    void (*pfnIaSetIndexBuffer)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t format, uint32_t offset);
    void (*pfnGsSetConstantBuffers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HRESOURCE *);
    void (*pfnGsSetShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    void (*pfnIaSetTopology)(D3D10DDI_HDEVICE, uint32_t topology);
    void (*pfnVsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnVsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnGsSetShaderResources)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,
                                    const D3D10DDI_HSHADERRESOURCEVIEW *);
    void (*pfnGsSetSamplers)(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D10DDI_HSAMPLER *);
    void (*pfnSetRenderTargets)(D3D10DDI_HDEVICE, const D3D10DDI_HRENDERTARGETVIEW *, uint32_t count,
                                uint32_t clear_slots, D3D10DDI_HDEPTHSTENCILVIEW);
    void (*pfnSoSetTargets)(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_targets,
                            const D3D10DDI_HRESOURCE *, const uint32_t *offsets);
    void (*pfnSetBlendState)(D3D10DDI_HDEVICE, D3D10DDI_HBLENDSTATE, const float *factor4,
                             uint32_t sample_mask);
    void (*pfnSetDepthStencilState)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILSTATE, uint32_t stencil_ref);
    void (*pfnSetRasterizerState)(D3D10DDI_HDEVICE, D3D10DDI_HRASTERIZERSTATE);
    void (*pfnSetViewports)(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots,
                            const D3D10_DDI_VIEWPORT *);
    void (*pfnSetScissorRects)(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots,
                               const D3D10_DDI_RECT *);
    void (*pfnDrawIndexed)(D3D10DDI_HDEVICE, uint32_t count, uint32_t first_index, int32_t base_vertex);
    void (*pfnDraw)(D3D10DDI_HDEVICE, uint32_t count, uint32_t first_vertex);
    void (*pfnDrawIndexedInstanced)(D3D10DDI_HDEVICE, uint32_t index_count, uint32_t instance_count,
                                    uint32_t first_index, int32_t base_vertex, uint32_t first_instance);
    void (*pfnDrawInstanced)(D3D10DDI_HDEVICE, uint32_t vertex_count, uint32_t instance_count,
                             uint32_t first_vertex, uint32_t first_instance);
    void (*pfnDrawAuto)(D3D10DDI_HDEVICE);
    void (*pfnClearState)(D3D10DDI_HDEVICE);

    HRESULT (*pfnPresent)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_PRESENT *);
    void (*pfnFlush)(D3D10DDI_HDEVICE);
    HRESULT (*pfnRotateResourceIdentities)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *);

    void (*pfnClearRenderTargetView)(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW, const float *rgba);
    void (*pfnClearDepthStencilView)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW, uint32_t flags,
                                     float depth, uint8_t stencil);
    void (*pfnGenMips)(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW);
    void (*pfnResourceCopy)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src);
    void (*pfnResourceCopyRegion)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                                  uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src,
                                  uint32_t src_subresource, const D3D10_DDI_BOX *src_box);
    void (*pfnResourceUpdateSubresourceUP)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                           const D3D10_DDI_BOX *, const void *data, uint32_t row_pitch,
                                           uint32_t depth_pitch);
    void (*pfnDefaultConstantBufferUpdateSubresourceUP)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE,
                                                        uint32_t subresource, const D3D10_DDI_BOX *,
                                                        const void *data, uint32_t row_pitch,
                                                        uint32_t depth_pitch);
    void (*pfnResourceResolveSubresource)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                                          D3D10DDI_HRESOURCE src, uint32_t src_subresource, uint32_t format);

    void (*pfnResourceMap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t map_type,
                           uint32_t map_flags, D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnResourceUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    void (*pfnDynamicIABufferMapDiscard)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                         uint32_t map_type, uint32_t map_flags,
                                         D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicIABufferMapNoOverwrite)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                             uint32_t map_type, uint32_t map_flags,
                                             D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicIABufferUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    void (*pfnDynamicConstantBufferMapDiscard)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                               uint32_t map_type, uint32_t map_flags,
                                               D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicConstantBufferUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    void (*pfnDynamicResourceMapDiscard)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                         uint32_t map_type, uint32_t map_flags,
                                         D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnDynamicResourceUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    void (*pfnStagingResourceMap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource,
                                  uint32_t map_type, uint32_t map_flags, D3D10DDI_MAPPED_SUBRESOURCE *);
    void (*pfnStagingResourceUnmap)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    uint32_t (*pfnResourceIsStagingBusy)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
    void (*pfnResourceReadAfterWriteHazard)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
    void (*pfnShaderResourceViewReadAfterWriteHazard)(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW,
                                                      D3D10DDI_HRESOURCE);

    void (*pfnQueryBegin)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);
    void (*pfnQueryEnd)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);
    void (*pfnQueryGetData)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, void *data, uint32_t size, uint32_t flags);
    void (*pfnSetPredication)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, uint32_t value);
    void (*pfnSetTextFilterSize)(D3D10DDI_HDEVICE, uint32_t width, uint32_t height);
    void (*pfnRelocateDeviceFuncs)(D3D10DDI_HDEVICE, D3D10DDI_DEVICEFUNCS *);
    HRESULT (*pfnGetDeviceRemovedReason)(D3D10DDI_HDEVICE);
};

#endif
