/* d3d11creations.h: the creation entries of the device tables, which share one form. The arguments of CreateResource
 * differ with the interface and in the runtime. */
#ifndef AGPU_UMD_DDI_D3D11CREATIONS_H
#define AGPU_UMD_DDI_D3D11CREATIONS_H

#include "umd-port/ddi/d3d11umddi.h"

/* X(name, Api, arguments, handle, runtime's handle): CreateResource, */
#define AGPU_CREATE_RESOURCE(X, args_type)                                                                   \
    X(create_resource, CreateResource, args_type, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE)
/* other entries of both interfaces, */
#define AGPU_CREATIONS(X)                                                                                    \
    X(open_resource, OpenResource, D3D10DDIARG_OPENRESOURCE, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE)       \
    X(create_srv, CreateShaderResourceView, D3D10DDIARG_CREATESHADERRESOURCEVIEW,                            \
      D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW)                                          \
    X(create_rtv, CreateRenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRENDERTARGETVIEW,    \
      D3D10DDI_HRTRENDERTARGETVIEW)                                                                          \
    X(create_dsv, CreateDepthStencilView, D3D10DDIARG_CREATEDEPTHSTENCILVIEW, D3D10DDI_HDEPTHSTENCILVIEW,    \
      D3D10DDI_HRTDEPTHSTENCILVIEW)                                                                          \
    X(create_element_layout, CreateElementLayout, D3D10DDIARG_CREATEELEMENTLAYOUT, D3D10DDI_HELEMENTLAYOUT,  \
      D3D10DDI_HRTELEMENTLAYOUT)                                                                             \
    X(create_blend, CreateBlendState, D3D10_1_DDI_BLEND_DESC, D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE)  \
    X(create_depth_stencil, CreateDepthStencilState, D3D10_DDI_DEPTH_STENCIL_DESC,                           \
      D3D10DDI_HDEPTHSTENCILSTATE, D3D10DDI_HRTDEPTHSTENCILSTATE)                                            \
    X(create_rasterizer, CreateRasterizerState, D3D10_DDI_RASTERIZER_DESC, D3D10DDI_HRASTERIZERSTATE,        \
      D3D10DDI_HRTRASTERIZERSTATE)                                                                           \
    X(create_sampler, CreateSampler, D3D10_DDI_SAMPLER_DESC, D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER)         \
    X(create_query, CreateQuery, D3D10DDIARG_CREATEQUERY, D3D10DDI_HQUERY, D3D10DDI_HRTQUERY)                \
    X(create_vs, CreateVertexShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)         \
    X(create_ps, CreatePixelShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)          \
    X(create_gs, CreateGeometryShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)       \
    X(create_so_gs, CreateGeometryShaderWithStreamOutput, D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT,  \
      D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)
/* and of Direct3D 11 alone. */
#define AGPU_CREATIONS11(X)                                                                                  \
    X(create_uav, CreateUnorderedAccessView, D3D11DDIARG_CREATEUNORDEREDACCESSVIEW,                          \
      D3D11DDI_HUNORDEREDACCESSVIEW, D3D11DDI_HRTUNORDEREDACCESSVIEW)                                        \
    X(create_hs, CreateHullShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)           \
    X(create_ds, CreateDomainShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)         \
    X(create_cs, CreateComputeShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)

#endif
