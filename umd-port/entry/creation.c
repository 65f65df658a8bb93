/* creation.c: creation entries that report failures through SetErrorCb (umd.md 15). */
#include "umd-port/entry/creation.h"

#include "umd-port/base/device.h"
#include "umd-port/base/query.h"
#include "umd-port/resource/create.h"
#include "umd-port/resource/open.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/samplers.h"
#include "umd-port/state/shaders.h"
#include "umd-port/state/views.h"

/* Reports a failure, except list_oom, which was reported when it happened, and busy, which is not an error. */
static HRESULT report_creation(D3D10DDI_HDEVICE handle, HRESULT hr)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (FAILED(hr) && hr != DXGI_ERROR_WAS_STILL_DRAWING && context != NULL && !context->device->list_oom) {
        agpu_set_error(context, hr);
    }
    return hr;
}

/* X(function, Api, arguments, handle, runtime's handle). */
#define EACH_CREATION(X)                                                                                     \
    X(resource, CreateResource, D3D10DDIARG_CREATERESOURCE, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE)        \
    X(srv, CreateShaderResourceView, D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HSHADERRESOURCEVIEW,     \
      D3D10DDI_HRTSHADERRESOURCEVIEW)                                                                        \
    X(rtv, CreateRenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRENDERTARGETVIEW,           \
      D3D10DDI_HRTRENDERTARGETVIEW)                                                                          \
    X(dsv, CreateDepthStencilView, D3D10DDIARG_CREATEDEPTHSTENCILVIEW, D3D10DDI_HDEPTHSTENCILVIEW,           \
      D3D10DDI_HRTDEPTHSTENCILVIEW)                                                                          \
    X(uav, CreateUnorderedAccessView, D3D11DDIARG_CREATEUNORDEREDACCESSVIEW, D3D11DDI_HUNORDEREDACCESSVIEW,  \
      D3D11DDI_HRTUNORDEREDACCESSVIEW)                                                                       \
    X(element_layout, CreateElementLayout, D3D10DDIARG_CREATEELEMENTLAYOUT, D3D10DDI_HELEMENTLAYOUT,         \
      D3D10DDI_HRTELEMENTLAYOUT)                                                                             \
    X(blend, CreateBlendState, D3D10_1_DDI_BLEND_DESC, D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE)         \
    X(depth_stencil, CreateDepthStencilState, D3D10_DDI_DEPTH_STENCIL_DESC, D3D10DDI_HDEPTHSTENCILSTATE,     \
      D3D10DDI_HRTDEPTHSTENCILSTATE)                                                                         \
    X(rasterizer, CreateRasterizerState, D3D10_DDI_RASTERIZER_DESC, D3D10DDI_HRASTERIZERSTATE,               \
      D3D10DDI_HRTRASTERIZERSTATE)                                                                           \
    X(sampler, CreateSampler, D3D10_DDI_SAMPLER_DESC, D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER)                \
    X(query, CreateQuery, D3D10DDIARG_CREATEQUERY, D3D10DDI_HQUERY, D3D10DDI_HRTQUERY)                       \
    X(vs, CreateVertexShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)                \
    X(ps, CreatePixelShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)                 \
    X(gs, CreateGeometryShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)              \
    X(hs, CreateHullShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)                  \
    X(ds, CreateDomainShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)                \
    X(cs, CreateComputeShader, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)               \
    X(so_gs, CreateGeometryShaderWithStreamOutput, D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT,         \
      D3D10DDI_HSHADER, D3D10DDI_HRTSHADER)

#define REPORTED(name, api, args_type, handle_type, runtime_type)                                            \
    static HRESULT reported_##name(D3D10DDI_HDEVICE device, const args_type *args, handle_type object,       \
                                   runtime_type runtime)                                                     \
    {                                                                                                        \
        return report_creation(device, agpu_create_##name(device, args, object, runtime));                   \
    }
EACH_CREATION(REPORTED)

static HRESULT reported_open(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args,
                             D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    return report_creation(device, agpu_open_resource(device, args, resource, runtime));
}

void agpu_install_reported_creation(D3D11DDI_DEVICEFUNCS *funcs)
{
#define INSTALL(name, api, args_type, handle_type, runtime_type) funcs->pfn##api = reported_##name;
    EACH_CREATION(INSTALL)
    funcs->pfnOpenResource = reported_open;
}
