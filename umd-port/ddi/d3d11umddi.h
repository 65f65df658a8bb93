/* d3d11umddi.h: the Direct3D 11 device function table. umd.md 18 defines its order, sizes and offsets. */
#ifndef AGPU_UMD_DDI_D3D11UMDDI_H
#define AGPU_UMD_DDI_D3D11UMDDI_H

#include "umd-port/ddi/d3d10umddi.h"
#include "umd-port/ddi/d3d11contextfuncs.h"

typedef D3D10DDI_CORELAYER_DEVICECALLBACKS D3D11DDI_CORELAYER_DEVICECALLBACKS;

/* Kinds of object with context-local handles (umd.md 1.2, 15). */
typedef enum D3D11DDI_HANDLETYPE {
    D3D10DDI_HT_RESOURCE = 0,
    D3D10DDI_HT_SHADERRESOURCEVIEW = 1,
    D3D10DDI_HT_RENDERTARGETVIEW = 2,
    D3D10DDI_HT_DEPTHSTENCILVIEW = 3,
    D3D10DDI_HT_SHADER = 4,
    D3D10DDI_HT_ELEMENTLAYOUT = 5,
    D3D10DDI_HT_BLENDSTATE = 6,
    D3D10DDI_HT_DEPTHSTENCILSTATE = 7,
    D3D10DDI_HT_RASTERIZERSTATE = 8,
    D3D10DDI_HT_SAMPLERSTATE = 9,
    D3D10DDI_HT_QUERY = 10,
    D3D11DDI_HT_COMMANDLIST = 11,
    D3D11DDI_HT_UNORDEREDACCESSVIEW = 12,
} D3D11DDI_HANDLETYPE;

typedef struct D3D11DDI_HANDLESIZE {
    uint32_t HandleType; /* D3D11DDI_HANDLETYPE */
    uint32_t Size;       /* bytes of a context-local handle */
} D3D11DDI_HANDLESIZE;

typedef struct D3D11DDIARG_CREATEDEFERREDCONTEXT {
    struct D3D11DDI_DEVICECONTEXTFUNCS *p11ContextFuncs;
    D3D10DDI_HDEVICE hDrvContext;
    D3D10DDI_HRTCORELAYER hRTCoreLayer;
    const D3D11DDI_CORELAYER_DEVICECALLBACKS *p11UMCallbacks;
    uint32_t Flags;
} D3D11DDIARG_CREATEDEFERREDCONTEXT;

typedef struct D3D11DDIARG_CREATECOMMANDLIST {
    D3D10DDI_HDEVICE hDeferredContext;
} D3D11DDIARG_CREATECOMMANDLIST;

typedef struct D3D11DDI_DEVICEFUNCS {
    void (*pfnDestroyDevice)(D3D10DDI_HDEVICE);
    size_t (*pfnCalcPrivateResourceSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERESOURCE *);
    HRESULT(*pfnCreateResource)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERESOURCE *, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE);
    size_t (*pfnCalcPrivateOpenedResourceSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_OPENRESOURCE *);
    HRESULT(*pfnOpenResource)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_OPENRESOURCE *, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE);
    void (*pfnDestroyResource)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
    size_t (*pfnCalcPrivateShaderResourceViewSize)(D3D10DDI_HDEVICE,
                                                   const D3D10DDIARG_CREATESHADERRESOURCEVIEW *);
    HRESULT(*pfnCreateShaderResourceView)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *, D3D10DDI_HSHADERRESOURCEVIEW,
     D3D10DDI_HRTSHADERRESOURCEVIEW);
    void (*pfnDestroyShaderResourceView)(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW);
    size_t (*pfnCalcPrivateRenderTargetViewSize)(D3D10DDI_HDEVICE,
                                                 const D3D10DDIARG_CREATERENDERTARGETVIEW *);
    HRESULT(*pfnCreateRenderTargetView)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERENDERTARGETVIEW *, D3D10DDI_HRENDERTARGETVIEW,
     D3D10DDI_HRTRENDERTARGETVIEW);
    void (*pfnDestroyRenderTargetView)(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW);
    size_t (*pfnCalcPrivateDepthStencilViewSize)(D3D10DDI_HDEVICE,
                                                 const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *);
    HRESULT(*pfnCreateDepthStencilView)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *, D3D10DDI_HDEPTHSTENCILVIEW,
     D3D10DDI_HRTDEPTHSTENCILVIEW);
    void (*pfnDestroyDepthStencilView)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW);
    size_t (*pfnCalcPrivateUnorderedAccessViewSize)(D3D10DDI_HDEVICE,
                                                    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *);
    HRESULT(*pfnCreateUnorderedAccessView)
    (D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *, D3D11DDI_HUNORDEREDACCESSVIEW,
     D3D11DDI_HRTUNORDEREDACCESSVIEW);
    void (*pfnDestroyUnorderedAccessView)(D3D10DDI_HDEVICE, D3D11DDI_HUNORDEREDACCESSVIEW);
    size_t (*pfnCalcPrivateElementLayoutSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *);
    HRESULT(*pfnCreateElementLayout)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEELEMENTLAYOUT *, D3D10DDI_HELEMENTLAYOUT,
     D3D10DDI_HRTELEMENTLAYOUT);
    void (*pfnDestroyElementLayout)(D3D10DDI_HDEVICE, D3D10DDI_HELEMENTLAYOUT);
    size_t (*pfnCalcPrivateBlendStateSize)(D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC *);
    HRESULT(*pfnCreateBlendState)
    (D3D10DDI_HDEVICE, const D3D10_1_DDI_BLEND_DESC *, D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE);
    void (*pfnDestroyBlendState)(D3D10DDI_HDEVICE, D3D10DDI_HBLENDSTATE);
    size_t (*pfnCalcPrivateDepthStencilStateSize)(D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC *);
    HRESULT(*pfnCreateDepthStencilState)
    (D3D10DDI_HDEVICE, const D3D10_DDI_DEPTH_STENCIL_DESC *, D3D10DDI_HDEPTHSTENCILSTATE,
     D3D10DDI_HRTDEPTHSTENCILSTATE);
    void (*pfnDestroyDepthStencilState)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILSTATE);
    size_t (*pfnCalcPrivateRasterizerStateSize)(D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC *);
    HRESULT(*pfnCreateRasterizerState)
    (D3D10DDI_HDEVICE, const D3D10_DDI_RASTERIZER_DESC *, D3D10DDI_HRASTERIZERSTATE,
     D3D10DDI_HRTRASTERIZERSTATE);
    void (*pfnDestroyRasterizerState)(D3D10DDI_HDEVICE, D3D10DDI_HRASTERIZERSTATE);
    size_t (*pfnCalcPrivateShaderSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *);
    HRESULT(*pfnCreateVertexShader)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    HRESULT(*pfnCreateHullShader)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    HRESULT(*pfnCreateDomainShader)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    HRESULT(*pfnCreateGeometryShader)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    size_t (*pfnCalcPrivateGeometryShaderWithStreamOutput)(
        D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *);
    HRESULT(*pfnCreateGeometryShaderWithStreamOutput)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT *, D3D10DDI_HSHADER,
     D3D10DDI_HRTSHADER);
    HRESULT(*pfnCreatePixelShader)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    HRESULT(*pfnCreateComputeShader)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER);
    size_t (*pfnCalcPrivateTessellationShaderSize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATESHADER *);
    void (*pfnDestroyShader)(D3D10DDI_HDEVICE, D3D10DDI_HSHADER);
    size_t (*pfnCalcPrivateSamplerSize)(D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *);
    HRESULT(*pfnCreateSampler)
    (D3D10DDI_HDEVICE, const D3D10_DDI_SAMPLER_DESC *, D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER);
    void (*pfnDestroySampler)(D3D10DDI_HDEVICE, D3D10DDI_HSAMPLER);
    size_t (*pfnCalcPrivateQuerySize)(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEQUERY *);
    HRESULT(*pfnCreateQuery)
    (D3D10DDI_HDEVICE, const D3D10DDIARG_CREATEQUERY *, D3D10DDI_HQUERY, D3D10DDI_HRTQUERY);
    void (*pfnDestroyQuery)(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);
    void (*pfnCheckFormatSupport)(D3D10DDI_HDEVICE, uint32_t format, uint32_t *support);
    void (*pfnCheckMultisampleQualityLevels)(D3D10DDI_HDEVICE, uint32_t format, uint32_t samples,
                                             uint32_t *levels);
    void (*pfnCheckCounterInfo)(D3D10DDI_HDEVICE, void *info);
    HRESULT (*pfnCheckCounter)(D3D10DDI_HDEVICE, uint32_t counter);

    void (*pfnCheckDeferredContextHandleSizes)(D3D10DDI_HDEVICE, uint32_t *count, D3D11DDI_HANDLESIZE *sizes);
    size_t (*pfnCalcDeferredContextHandleSize)(D3D10DDI_HDEVICE, uint32_t handle_type, void *ic_object);
    size_t (*pfnCalcPrivateDeferredContextSize)(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *);
    HRESULT (*pfnCreateDeferredContext)(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *);
    void (*pfnDestroyDeferredContext)(D3D10DDI_HDEVICE, D3D10DDI_HDEVICE deferred_context);
    void (*pfnAbandonCommandList)(D3D10DDI_HDEVICE deferred_context);
    size_t (*pfnCalcPrivateCommandListSize)(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *);
    HRESULT(*pfnCreateCommandList)
    (D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *, D3D11DDI_HCOMMANDLIST, D3D11DDI_HRTCOMMANDLIST);
    void (*pfnDestroyCommandList)(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
    void (*pfnRecycleCommandList)(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
    HRESULT(*pfnRecycleCreateCommandList)
    (D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *, D3D11DDI_HCOMMANDLIST, D3D11DDI_HRTCOMMANDLIST);
    HRESULT (*pfnRecycleCreateDeferredContext)(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *);
    void (*pfnRecycleDestroyCommandList)(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);

    size_t (*pfnCalcPrivateClassLinkageSize)(D3D10DDI_HDEVICE);
    HRESULT (*pfnCreateClassLinkage)(D3D10DDI_HDEVICE, void *linkage);
    void (*pfnDestroyClassLinkage)(D3D10DDI_HDEVICE, void *linkage);
    size_t (*pfnCalcPrivateClassInstanceSize)(D3D10DDI_HDEVICE);
    HRESULT (*pfnCreateClassInstance)(D3D10DDI_HDEVICE, void *instance);
    void (*pfnDestroyClassInstance)(D3D10DDI_HDEVICE, void *instance);
    size_t (*pfnCalcPrivateCounterSize)(D3D10DDI_HDEVICE);
    HRESULT (*pfnCreateCounter)(D3D10DDI_HDEVICE, void *counter);
    void (*pfnDestroyCounter)(D3D10DDI_HDEVICE, void *counter);
    HRESULT (*pfnGetDeviceRemovedReason)(D3D10DDI_HDEVICE);
    HRESULT (*pfnCheckDeviceState)(D3D10DDI_HDEVICE);
    HRESULT (*pfnGetGammaCaps)(D3D10DDI_HDEVICE, void *caps);
    HRESULT (*pfnSetResourcePriority)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t priority);
    HRESULT(*pfnQueryResourceResidency)
    (D3D10DDI_HDEVICE, uint32_t count, const D3D10DDI_HRESOURCE *, uint32_t *status);
    HRESULT (*pfnPresent)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_PRESENT *);
    HRESULT (*pfnRotateResourceIdentities)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *);
    HRESULT (*pfnBlt)(D3D10DDI_HDEVICE, const DXGI_DDI_ARG_BLT *);
    HRESULT (*pfnSetDisplayMode)(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);
    void (*pfnSetTextFilterSize)(D3D10DDI_HDEVICE, uint32_t width, uint32_t height);
    void (*pfnRelocateDeviceFuncs)(D3D10DDI_HDEVICE, struct D3D11DDI_DEVICEFUNCS *);
    size_t (*pfnCalcPrivatePredicateSize)(D3D10DDI_HDEVICE);
    HRESULT (*pfnCreatePredicate)(D3D10DDI_HDEVICE, void *predicate);
    void (*pfnDestroyPredicate)(D3D10DDI_HDEVICE, void *predicate);
} D3D11DDI_DEVICEFUNCS;

#endif
