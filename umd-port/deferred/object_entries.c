/* object_entries.c: object entries of the device table on a device with deferred contexts (umd.md 15). */
#include "umd-port/deferred/object_entries.h"

#include <string.h>

#include "umd-port/base/lock.h"
#include "umd-port/base/query.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/track.h"
#include "umd-port/deferred/local_handles.h"
#include "umd-port/resource/create.h"
#include "umd-port/resource/destroy.h"
#include "umd-port/resource/open.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/samplers.h"
#include "umd-port/state/shaders.h"
#include "umd-port/state/views.h"

/* The context on which an entry is called. */
enum owner {
    OWNER_UNKNOWN,  /* NULL or not a context: handled as on any device */
    OWNER_DEVICE,   /* the immediate context, alive or destroyed */
    OWNER_DEFERRED, /* a deferred context */
    OWNER_DESTROYED_DEFERRED,
};

static enum owner owner_of(D3D10DDI_HDEVICE handle)
{
    if (handle.pDrvPrivate == NULL) {
        return OWNER_UNKNOWN;
    }
    if (agpu_deferred_of(handle) != NULL) {
        return OWNER_DEFERRED;
    }
    uint32_t cookie = *(const uint32_t *)handle.pDrvPrivate;
    if (cookie == AGPU_COOKIE_DEFERRED_DESTROYED) {
        return OWNER_DESTROYED_DEFERRED;
    }
    return cookie == 0 || agpu_context_of(handle) != NULL ? OWNER_DEVICE : OWNER_UNKNOWN;
}

/* Returns kind and protocol handle of an object. False: it has no protocol object; packets carry its state. */
static bool shared_kind_of(uint32_t type, const void *object, enum agpu_shared_kind *kind, uint32_t *handle)
{
    *handle = *(const uint32_t *)object; /* first member of all of them, except views */
    switch (type) {
    case D3D10DDI_HT_RESOURCE:
        *kind = AGPU_SHARED_RESOURCE;
        *handle = 0;
        return true;
    case D3D10DDI_HT_SHADER:
        *kind = AGPU_SHARED_SHADER;
        return true;
    case D3D10DDI_HT_ELEMENTLAYOUT:
        *kind = AGPU_SHARED_LAYOUT;
        return true;
    case D3D10DDI_HT_SAMPLERSTATE:
        *kind = AGPU_SHARED_SAMPLER;
        return true;
    case D3D10DDI_HT_QUERY:
        *kind = AGPU_SHARED_QUERY;
        *handle = 0;
        return true;
    case D3D10DDI_HT_BLENDSTATE:
    case D3D10DDI_HT_DEPTHSTENCILSTATE:
    case D3D10DDI_HT_RASTERIZERSTATE:
        return false;
    default:
        *kind = AGPU_SHARED_VIEW;
        *handle = ((const struct agpu_view *)object)->handle;
        return *handle != 0;
    }
}

static void copy_description(uint32_t type, const void *object, struct agpu_shared_info *info)
{
    switch (type) {
    case D3D10DDI_HT_RESOURCE:
        info->copy.resource = *(const struct agpu_resource *)object;
        /* Members for the immediate object only. */
        info->copy.resource.shadow = NULL;
        info->copy.resource.views = NULL;
        info->copy.resource.pending_link = NULL;
        info->copy.resource.pending_next = NULL;
        info->copy.resource.track_epoch = 0;
        info->copy.resource.last_gpu_write_fence = 0;
        break;
    case D3D10DDI_HT_BLENDSTATE:
        info->copy.blend = *(const struct agpu_blend_object *)object;
        break;
    case D3D10DDI_HT_DEPTHSTENCILSTATE:
        info->copy.depth_stencil = *(const struct agpu_depth_stencil_object *)object;
        break;
    case D3D10DDI_HT_RASTERIZERSTATE:
        info->copy.rasterizer = *(const struct agpu_rasterizer_object *)object;
        break;
    case D3D10DDI_HT_SHADER:
    case D3D10DDI_HT_SAMPLERSTATE:
    case D3D10DDI_HT_ELEMENTLAYOUT:
    case D3D10DDI_HT_QUERY:
        break;
    default:
        info->copy.view = *(const struct agpu_view *)object;
        info->copy.view.resource = NULL;
        info->copy.view.next = NULL;
        info->copy.view.link = NULL;
        break;
    }
}

/* Allocates the shared object before the object is created, so that nothing fails afterwards. *shared is NULL when none
 * is needed. E_OUTOFMEMORY: the object is cleared. */
static HRESULT prepare_sharing(D3D10DDI_HDEVICE handle, const char *entry, uint32_t type, void *object,
                               struct agpu_shared_object **shared)
{
    struct agpu_context *context = agpu_context_of(handle);

    *shared = NULL;
    if (object == NULL) {
        return S_OK;
    }
    struct agpu_shared_info *info = agpu_shared_info_of(type, object);
    info->object = NULL;
    info->valid = 0;
    if (context == NULL || type == D3D10DDI_HT_BLENDSTATE || type == D3D10DDI_HT_DEPTHSTENCILSTATE ||
        type == D3D10DDI_HT_RASTERIZERSTATE) {
        return S_OK;
    }
    *shared = agpu_shared_object_new(context->device->sharing);
    if (*shared != NULL) {
        return S_OK;
    }
    memset(object, 0, (size_t)((uint8_t *)info - (uint8_t *)object));
    return agpu_traced_result(handle, entry, E_OUTOFMEMORY);
}

/* Call after a creation on the immediate context, successful or not. */
static void complete_sharing(D3D10DDI_HDEVICE handle, uint32_t type, void *object,
                             struct agpu_shared_object *shared, HRESULT created)
{
    enum agpu_shared_kind kind;
    uint32_t protocol;
    bool shares = SUCCEEDED(created) && object != NULL && agpu_context_of(handle) != NULL;
    struct agpu_shared_info *info = shares ? agpu_shared_info_of(type, object) : NULL;

    if (shared != NULL && shares && shared_kind_of(type, object, &kind, &protocol)) {
        agpu_shared_object_init(shared, kind, protocol, object);
        info->object = shared;
    } else if (shared != NULL) {
        agpu_shared_object_discard(shared);
    }
    if (shares) {
        copy_description(type, object, info);
        info->valid = 1;
    }
}

/* Call before the destruction of an immediate object. False: lists or contexts refer to it, so it must not be destroyed
 * yet. */
static bool stop_sharing(uint32_t type, void *object)
{
    if (object == NULL) {
        return true;
    }
    struct agpu_shared_info *info = agpu_shared_info_of(type, object);
    if (!info->valid) {
        return true;
    }
    struct agpu_shared_object *shared = info->object;
    info->valid = 0;
    info->object = NULL;
    return shared == NULL || agpu_shared_object_detach(shared);
}

/* On a deferred context creation makes a local handle of the immediate object that the runtime handle names. False: the
 * immediate context creates the object. */
static bool create_local(D3D10DDI_HDEVICE handle, const char *entry, uint32_t type, void *local,
                         void *immediate, void *parent)
{
    switch (owner_of(handle)) {
    case OWNER_DEFERRED:
        agpu_deferred_report(
            agpu_deferred_of(handle),
            agpu_traced_result(handle, entry,
                               agpu_create_local(agpu_deferred_of(handle), type, local, immediate, parent)));
        return true;
    case OWNER_DESTROYED_DEFERRED:
        return true;
    default:
        return false;
    }
}

static void destroy_local(D3D10DDI_HDEVICE handle, const char *entry, uint32_t type, void *local)
{
    agpu_traced(handle, entry);
    agpu_destroy_local(agpu_deferred_of(handle), type, local);
}

/* Entries of the function table, with their names in the trace: creation, */
#define CREATE(name, entry, type, base, args_type, object_type, runtime_type, parent)                        \
    static void name(D3D10DDI_HDEVICE handle, const args_type *args, object_type object,                     \
                     runtime_type runtime)                                                                   \
    {                                                                                                        \
        AGPU_HOLD(handle);                                                                                   \
        struct agpu_shared_object *shared;                                                                   \
        bool oom_before = agpu_list_oom_of(handle);                                                          \
        HRESULT hr;                                                                                          \
                                                                                                             \
        if (create_local(handle, entry, type, object.pDrvPrivate, runtime.handle, parent)) {                 \
            return;                                                                                          \
        }                                                                                                    \
        hr = prepare_sharing(handle, entry, type, object.pDrvPrivate, &shared);                              \
        if (SUCCEEDED(hr)) {                                                                                 \
            hr = base(handle, args, object, runtime);                                                        \
            complete_sharing(handle, type, object.pDrvPrivate, shared, hr);                                  \
        }                                                                                                    \
        agpu_report_creation(handle, oom_before, hr);                                                        \
    }
/* destruction, */
#define DESTROY(name, entry, type, base, object_type)                                                        \
    static void name(D3D10DDI_HDEVICE handle, object_type object)                                            \
    {                                                                                                        \
        AGPU_HOLD(handle);                                                                                   \
        enum owner owner = owner_of(handle);                                                                 \
                                                                                                             \
        if (owner == OWNER_DEFERRED || owner == OWNER_DESTROYED_DEFERRED) {                                  \
            destroy_local(handle, entry, type, object.pDrvPrivate);                                          \
        } else if (owner == OWNER_UNKNOWN || stop_sharing(type, object.pDrvPrivate)) {                       \
            base(handle, object);                                                                            \
        }                                                                                                    \
    }
/* and the bytes of an immediate handle. */
#define SIZE(name, entry, type, args_type)                                                                   \
    static size_t name(D3D10DDI_HDEVICE handle, const args_type *args)                                       \
    {                                                                                                        \
        (void)args;                                                                                          \
        return agpu_traced_size(handle, entry, agpu_immediate_handle_bytes(type));                           \
    }

#define PARENT (args ? args->hDrvResource.pDrvPrivate : NULL)

CREATE(create_resource, "CreateResource", D3D10DDI_HT_RESOURCE, agpu_create_resource,
       D3D11DDIARG_CREATERESOURCE, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE, NULL)
CREATE(open_resource, "OpenResource", D3D10DDI_HT_RESOURCE, agpu_open_resource, D3D10DDIARG_OPENRESOURCE,
       D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE, NULL)
CREATE(create_srv, "CreateShaderResourceView", D3D10DDI_HT_SHADERRESOURCEVIEW, agpu_create_srv,
       D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW,
       PARENT)
CREATE(create_rtv, "CreateRenderTargetView", D3D10DDI_HT_RENDERTARGETVIEW, agpu_create_rtv,
       D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW, PARENT)
CREATE(create_dsv, "CreateDepthStencilView", D3D10DDI_HT_DEPTHSTENCILVIEW, agpu_create_dsv,
       D3D10DDIARG_CREATEDEPTHSTENCILVIEW, D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW, PARENT)
CREATE(create_uav, "CreateUnorderedAccessView", D3D11DDI_HT_UNORDEREDACCESSVIEW, agpu_create_uav,
       D3D11DDIARG_CREATEUNORDEREDACCESSVIEW, D3D11DDI_HUNORDEREDACCESSVIEW, D3D11DDI_HRTUNORDEREDACCESSVIEW,
       PARENT)
CREATE(create_layout, "CreateElementLayout", D3D10DDI_HT_ELEMENTLAYOUT, agpu_create_element_layout,
       D3D10DDIARG_CREATEELEMENTLAYOUT, D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HRTELEMENTLAYOUT, NULL)
CREATE(create_blend, "CreateBlendState", D3D10DDI_HT_BLENDSTATE, agpu_create_blend, D3D10_1_DDI_BLEND_DESC,
       D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE, NULL)
CREATE(create_depth_stencil, "CreateDepthStencilState", D3D10DDI_HT_DEPTHSTENCILSTATE,
       agpu_create_depth_stencil, D3D10_DDI_DEPTH_STENCIL_DESC, D3D10DDI_HDEPTHSTENCILSTATE,
       D3D10DDI_HRTDEPTHSTENCILSTATE, NULL)
CREATE(create_rasterizer, "CreateRasterizerState", D3D10DDI_HT_RASTERIZERSTATE, agpu_create_rasterizer,
       D3D10_DDI_RASTERIZER_DESC, D3D10DDI_HRASTERIZERSTATE, D3D10DDI_HRTRASTERIZERSTATE, NULL)
CREATE(create_sampler, "CreateSampler", D3D10DDI_HT_SAMPLERSTATE, agpu_create_sampler, D3D10_DDI_SAMPLER_DESC,
       D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER, NULL)
CREATE(create_query, "CreateQuery", D3D10DDI_HT_QUERY, agpu_create_query, D3D10DDIARG_CREATEQUERY,
       D3D10DDI_HQUERY, D3D10DDI_HRTQUERY, NULL)
#define SHADER(stage, entry, args_type)                                                                      \
    CREATE(create_##stage, entry, D3D10DDI_HT_SHADER, agpu_create_##stage, args_type, D3D10DDI_HSHADER,      \
           D3D10DDI_HRTSHADER, NULL)
SHADER(vs, "CreateVertexShader", D3D10DDIARG_CREATESHADER)
SHADER(ps, "CreatePixelShader", D3D10DDIARG_CREATESHADER)
SHADER(gs, "CreateGeometryShader", D3D10DDIARG_CREATESHADER)
SHADER(hs, "CreateHullShader", D3D10DDIARG_CREATESHADER)
SHADER(ds, "CreateDomainShader", D3D10DDIARG_CREATESHADER)
SHADER(cs, "CreateComputeShader", D3D10DDIARG_CREATESHADER)
SHADER(so_gs, "CreateGeometryShaderWithStreamOutput", D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT)

DESTROY(destroy_resource, "DestroyResource", D3D10DDI_HT_RESOURCE, agpu_destroy_resource, D3D10DDI_HRESOURCE)
DESTROY(destroy_srv, "DestroyShaderResourceView", D3D10DDI_HT_SHADERRESOURCEVIEW, agpu_destroy_srv,
        D3D10DDI_HSHADERRESOURCEVIEW)
DESTROY(destroy_rtv, "DestroyRenderTargetView", D3D10DDI_HT_RENDERTARGETVIEW, agpu_destroy_rtv,
        D3D10DDI_HRENDERTARGETVIEW)
DESTROY(destroy_dsv, "DestroyDepthStencilView", D3D10DDI_HT_DEPTHSTENCILVIEW, agpu_destroy_dsv,
        D3D10DDI_HDEPTHSTENCILVIEW)
DESTROY(destroy_uav, "DestroyUnorderedAccessView", D3D11DDI_HT_UNORDEREDACCESSVIEW, agpu_destroy_uav,
        D3D11DDI_HUNORDEREDACCESSVIEW)
DESTROY(destroy_layout, "DestroyElementLayout", D3D10DDI_HT_ELEMENTLAYOUT, agpu_destroy_element_layout,
        D3D10DDI_HELEMENTLAYOUT)
DESTROY(destroy_blend, "DestroyBlendState", D3D10DDI_HT_BLENDSTATE, agpu_destroy_blend, D3D10DDI_HBLENDSTATE)
DESTROY(destroy_depth_stencil, "DestroyDepthStencilState", D3D10DDI_HT_DEPTHSTENCILSTATE,
        agpu_destroy_depth_stencil, D3D10DDI_HDEPTHSTENCILSTATE)
DESTROY(destroy_rasterizer, "DestroyRasterizerState", D3D10DDI_HT_RASTERIZERSTATE, agpu_destroy_rasterizer,
        D3D10DDI_HRASTERIZERSTATE)
DESTROY(destroy_shader, "DestroyShader", D3D10DDI_HT_SHADER, agpu_destroy_shader, D3D10DDI_HSHADER)
DESTROY(destroy_sampler, "DestroySampler", D3D10DDI_HT_SAMPLERSTATE, agpu_destroy_sampler, D3D10DDI_HSAMPLER)
DESTROY(destroy_query, "DestroyQuery", D3D10DDI_HT_QUERY, agpu_destroy_query, D3D10DDI_HQUERY)

SIZE(resource_size, "CalcPrivateResourceSize", D3D10DDI_HT_RESOURCE, D3D11DDIARG_CREATERESOURCE)
SIZE(opened_size, "CalcPrivateOpenedResourceSize", D3D10DDI_HT_RESOURCE, D3D10DDIARG_OPENRESOURCE)
SIZE(srv_size, "CalcPrivateShaderResourceViewSize", D3D10DDI_HT_SHADERRESOURCEVIEW,
     D3D10DDIARG_CREATESHADERRESOURCEVIEW)
SIZE(rtv_size, "CalcPrivateRenderTargetViewSize", D3D10DDI_HT_RENDERTARGETVIEW,
     D3D10DDIARG_CREATERENDERTARGETVIEW)
SIZE(dsv_size, "CalcPrivateDepthStencilViewSize", D3D10DDI_HT_DEPTHSTENCILVIEW,
     D3D10DDIARG_CREATEDEPTHSTENCILVIEW)
SIZE(uav_size, "CalcPrivateUnorderedAccessViewSize", D3D11DDI_HT_UNORDEREDACCESSVIEW,
     D3D11DDIARG_CREATEUNORDEREDACCESSVIEW)
SIZE(layout_size, "CalcPrivateElementLayoutSize", D3D10DDI_HT_ELEMENTLAYOUT, D3D10DDIARG_CREATEELEMENTLAYOUT)
SIZE(blend_size, "CalcPrivateBlendStateSize", D3D10DDI_HT_BLENDSTATE, D3D10_1_DDI_BLEND_DESC)
SIZE(depth_stencil_size, "CalcPrivateDepthStencilStateSize", D3D10DDI_HT_DEPTHSTENCILSTATE,
     D3D10_DDI_DEPTH_STENCIL_DESC)
SIZE(rasterizer_size, "CalcPrivateRasterizerStateSize", D3D10DDI_HT_RASTERIZERSTATE,
     D3D10_DDI_RASTERIZER_DESC)
SIZE(shader_size, "CalcPrivateShaderSize", D3D10DDI_HT_SHADER, D3D10DDIARG_CREATESHADER)
SIZE(tessellation_shader_size, "CalcPrivateTessellationShaderSize", D3D10DDI_HT_SHADER,
     D3D10DDIARG_CREATESHADER)
SIZE(so_shader_size, "CalcPrivateGeometryShaderWithStreamOutput", D3D10DDI_HT_SHADER,
     D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT)
SIZE(sampler_size, "CalcPrivateSamplerSize", D3D10DDI_HT_SAMPLERSTATE, D3D10_DDI_SAMPLER_DESC)
SIZE(query_size, "CalcPrivateQuerySize", D3D10DDI_HT_QUERY, D3D10DDIARG_CREATEQUERY)

static void install_sizes(D3D11DDI_DEVICEFUNCS *funcs)
{
    funcs->pfnCalcPrivateResourceSize = resource_size;
    funcs->pfnCalcPrivateOpenedResourceSize = opened_size;
    funcs->pfnCalcPrivateShaderResourceViewSize = srv_size;
    funcs->pfnCalcPrivateRenderTargetViewSize = rtv_size;
    funcs->pfnCalcPrivateDepthStencilViewSize = dsv_size;
    funcs->pfnCalcPrivateUnorderedAccessViewSize = uav_size;
    funcs->pfnCalcPrivateElementLayoutSize = layout_size;
    funcs->pfnCalcPrivateBlendStateSize = blend_size;
    funcs->pfnCalcPrivateDepthStencilStateSize = depth_stencil_size;
    funcs->pfnCalcPrivateRasterizerStateSize = rasterizer_size;
    funcs->pfnCalcPrivateShaderSize = shader_size;
    funcs->pfnCalcPrivateTessellationShaderSize = tessellation_shader_size;
    funcs->pfnCalcPrivateGeometryShaderWithStreamOutput = so_shader_size;
    funcs->pfnCalcPrivateSamplerSize = sampler_size;
    funcs->pfnCalcPrivateQuerySize = query_size;
}

static void install_creates(D3D11DDI_DEVICEFUNCS *funcs)
{
    funcs->pfnCreateResource = create_resource;
    funcs->pfnOpenResource = open_resource;
    funcs->pfnCreateShaderResourceView = create_srv;
    funcs->pfnCreateRenderTargetView = create_rtv;
    funcs->pfnCreateDepthStencilView = create_dsv;
    funcs->pfnCreateUnorderedAccessView = create_uav;
    funcs->pfnCreateElementLayout = create_layout;
    funcs->pfnCreateBlendState = create_blend;
    funcs->pfnCreateDepthStencilState = create_depth_stencil;
    funcs->pfnCreateRasterizerState = create_rasterizer;
    funcs->pfnCreateVertexShader = create_vs;
    funcs->pfnCreatePixelShader = create_ps;
    funcs->pfnCreateGeometryShader = create_gs;
    funcs->pfnCreateGeometryShaderWithStreamOutput = create_so_gs;
    funcs->pfnCreateHullShader = create_hs;
    funcs->pfnCreateDomainShader = create_ds;
    funcs->pfnCreateComputeShader = create_cs;
    funcs->pfnCreateSampler = create_sampler;
    funcs->pfnCreateQuery = create_query;
}

void agpu_install_shared_entries(D3D11DDI_DEVICEFUNCS *funcs)
{
    install_sizes(funcs);
    install_creates(funcs);
    funcs->pfnDestroyResource = destroy_resource;
    funcs->pfnDestroyShaderResourceView = destroy_srv;
    funcs->pfnDestroyRenderTargetView = destroy_rtv;
    funcs->pfnDestroyDepthStencilView = destroy_dsv;
    funcs->pfnDestroyUnorderedAccessView = destroy_uav;
    funcs->pfnDestroyElementLayout = destroy_layout;
    funcs->pfnDestroyBlendState = destroy_blend;
    funcs->pfnDestroyDepthStencilState = destroy_depth_stencil;
    funcs->pfnDestroyRasterizerState = destroy_rasterizer;
    funcs->pfnDestroyShader = destroy_shader;
    funcs->pfnDestroySampler = destroy_sampler;
    funcs->pfnDestroyQuery = destroy_query;
}
