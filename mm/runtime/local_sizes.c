/* local_sizes.c: the runtime's queries for context-local handles (umd.md 15). */
#include "mm/runtime/local_sizes.h"

#include "mm/runtime/types.h"

#define ADVERTISED_MAX 64u /* a type may have several sizes; a longer answer is an error */
#define BUCKETS        256u

struct sized_object {
    struct sized_object *next;
    const void *immediate;
    size_t bytes;
};

struct agpu_local_sizes {
    struct agpu_layer layer;
    struct agpu_memory *memory;
    struct agpu_api_device funcs; /* the driver's own table */
    D3D11DDI_HANDLESIZE advertised[ADVERTISED_MAX];
    uint32_t advertised_count;
    struct sized_object *objects[BUCKETS];
};

static struct agpu_local_sizes *sizes_of(D3D10DDI_HDEVICE device)
{
    return agpu_layer_of(AGPU_LAYER_LOCAL_SIZES, device);
}

/* ---- objects ---- */

static struct sized_object **find_object(struct agpu_local_sizes *sizes, const void *immediate)
{
    struct sized_object **link = &sizes->objects[((uintptr_t)immediate / 16u) % BUCKETS];

    while (*link != NULL && (*link)->immediate != immediate) {
        link = &(*link)->next;
    }
    return link;
}

static void forget_object(struct agpu_local_sizes *sizes, const void *immediate)
{
    struct sized_object **link = find_object(sizes, immediate);
    struct sized_object *object = *link;

    if (object != NULL) {
        *link = object->next;
        agpu_memory_free(sizes->memory, object, sizeof *object);
    }
}

static bool ask_about(struct agpu_local_sizes *sizes, uint32_t handle_type, void *immediate)
{
    size_t bytes = sizes->funcs.pfnCalcDeferredContextHandleSize(sizes->layer.device, handle_type, immediate);

    struct sized_object **link = find_object(sizes, immediate); /* a recycled list has a record already */
    if (*link == NULL) {
        *link = agpu_memory_alloc(sizes->memory, sizeof **link);
    }
    if (*link == NULL) {
        return false;
    }
    (*link)->immediate = immediate;
    (*link)->bytes = bytes;
    return true;
}

/* ---- entries ---- */

/* A create entry and its destroy entry. A size that there is no memory to store is queried again at the first use. */
#define SIZED_CREATE(name, entry, args_type, handle_type, runtime_type, type)                                \
    static HRESULT sized_##name(D3D10DDI_HDEVICE device, const args_type *args, handle_type object,          \
                                runtime_type runtime)                                                        \
    {                                                                                                        \
        struct agpu_local_sizes *sizes = sizes_of(device);                                                   \
        HRESULT hr = sizes->funcs.entry(device, args, object, runtime);                                      \
                                                                                                             \
        if (SUCCEEDED(hr) && device.pDrvPrivate == sizes->layer.device.pDrvPrivate) {                        \
            ask_about(sizes, (type), object.pDrvPrivate);                                                    \
        }                                                                                                    \
        return hr;                                                                                           \
    }
#define SIZED_DESTROY(name, entry, handle_type)                                                              \
    static void sized_##name(D3D10DDI_HDEVICE device, handle_type object)                                    \
    {                                                                                                        \
        struct agpu_local_sizes *sizes = sizes_of(device);                                                   \
                                                                                                             \
        forget_object(sizes, object.pDrvPrivate);                                                            \
        sizes->funcs.entry(device, object);                                                                  \
    }
/* Kinds whose names follow the pattern: X(name, Api, create arguments, handle, HRT handle, type). */
#define SIZED_KINDS(X)                                                                                       \
    X(resource, Resource, struct agpu_resource_desc, D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE,               \
      D3D10DDI_HT_RESOURCE)                                                                                  \
    X(srv, ShaderResourceView, D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HSHADERRESOURCEVIEW,           \
      D3D10DDI_HRTSHADERRESOURCEVIEW, D3D10DDI_HT_SHADERRESOURCEVIEW)                                        \
    X(rtv, RenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRENDERTARGETVIEW,                 \
      D3D10DDI_HRTRENDERTARGETVIEW, D3D10DDI_HT_RENDERTARGETVIEW)                                            \
    X(dsv, DepthStencilView, D3D10DDIARG_CREATEDEPTHSTENCILVIEW, D3D10DDI_HDEPTHSTENCILVIEW,                 \
      D3D10DDI_HRTDEPTHSTENCILVIEW, D3D10DDI_HT_DEPTHSTENCILVIEW)                                            \
    X(uav, UnorderedAccessView, D3D11DDIARG_CREATEUNORDEREDACCESSVIEW, D3D11DDI_HUNORDEREDACCESSVIEW,        \
      D3D11DDI_HRTUNORDEREDACCESSVIEW, D3D11DDI_HT_UNORDEREDACCESSVIEW)                                      \
    X(layout, ElementLayout, D3D10DDIARG_CREATEELEMENTLAYOUT, D3D10DDI_HELEMENTLAYOUT,                       \
      D3D10DDI_HRTELEMENTLAYOUT, D3D10DDI_HT_ELEMENTLAYOUT)                                                  \
    X(blend, BlendState, D3D10_1_DDI_BLEND_DESC, D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE,               \
      D3D10DDI_HT_BLENDSTATE)                                                                                \
    X(depth, DepthStencilState, D3D10_DDI_DEPTH_STENCIL_DESC, D3D10DDI_HDEPTHSTENCILSTATE,                   \
      D3D10DDI_HRTDEPTHSTENCILSTATE, D3D10DDI_HT_DEPTHSTENCILSTATE)                                          \
    X(rasterizer, RasterizerState, D3D10_DDI_RASTERIZER_DESC, D3D10DDI_HRASTERIZERSTATE,                     \
      D3D10DDI_HRTRASTERIZERSTATE, D3D10DDI_HT_RASTERIZERSTATE)                                              \
    X(sampler, Sampler, D3D10_DDI_SAMPLER_DESC, D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER,                      \
      D3D10DDI_HT_SAMPLERSTATE)                                                                              \
    X(query, Query, D3D10DDIARG_CREATEQUERY, D3D10DDI_HQUERY, D3D10DDI_HRTQUERY, D3D10DDI_HT_QUERY)
#define SIZED_KIND(name, api, args_type, handle_type, runtime_type, type)                                    \
    SIZED_CREATE(create_##name, pfnCreate##api, args_type, handle_type, runtime_type, type)                  \
    SIZED_DESTROY(destroy_##name, pfnDestroy##api, handle_type)
SIZED_KINDS(SIZED_KIND)

#define SIZED_SHADERS(X)                                                                                     \
    X(vs, VertexShader)                                                                                      \
    X(hs, HullShader) X(ds, DomainShader) X(gs, GeometryShader) X(ps, PixelShader) X(cs, ComputeShader)
#define SIZED_SHADER(name, api)                                                                              \
    SIZED_CREATE(create_##name, pfnCreate##api, D3D10DDIARG_CREATESHADER, D3D10DDI_HSHADER,                  \
                 D3D10DDI_HRTSHADER, D3D10DDI_HT_SHADER)
SIZED_SHADERS(SIZED_SHADER)
SIZED_CREATE(create_so_gs, pfnCreateGeometryShaderWithStreamOutput,
             D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT, D3D10DDI_HSHADER, D3D10DDI_HRTSHADER,
             D3D10DDI_HT_SHADER)
SIZED_CREATE(open_resource, pfnOpenResource, D3D10DDIARG_OPENRESOURCE, D3D10DDI_HRESOURCE,
             D3D10DDI_HRTRESOURCE, D3D10DDI_HT_RESOURCE)
SIZED_DESTROY(destroy_shader, pfnDestroyShader, D3D10DDI_HSHADER)

static void put_entries(struct agpu_api_device *funcs)
{
#define PUT_KIND(name, api, args_type, handle_type, runtime_type, type)                                      \
    funcs->pfnCreate##api = sized_create_##name;                                                             \
    funcs->pfnDestroy##api = sized_destroy_##name;
#define PUT_SHADER(name, api) funcs->pfnCreate##api = sized_create_##name;
    SIZED_KINDS(PUT_KIND)
    SIZED_SHADERS(PUT_SHADER)
    funcs->pfnCreateGeometryShaderWithStreamOutput = sized_create_so_gs;
    funcs->pfnOpenResource = sized_open_resource;
    funcs->pfnDestroyShader = sized_destroy_shader;
}

/* ---- start and end ---- */

/* Polls the sizes as the runtime does: how many, then which. */
static HRESULT poll_sizes(struct agpu_local_sizes *sizes)
{
    uint32_t count = 0;

    sizes->funcs.pfnCheckDeferredContextHandleSizes(sizes->layer.device, &count, NULL);
    if (count == 0 || count > ADVERTISED_MAX) {
        return E_FAIL;
    }
    sizes->advertised_count = count;
    sizes->funcs.pfnCheckDeferredContextHandleSizes(sizes->layer.device, &sizes->advertised_count,
                                                    sizes->advertised);
    return sizes->advertised_count == count ? S_OK : E_FAIL;
}

HRESULT agpu_local_sizes_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                               struct agpu_api_device *funcs)
{
    struct agpu_memory *memory = &owner->runtime->memory;
    struct agpu_local_sizes *sizes = agpu_memory_alloc(memory, sizeof *sizes);

    if (sizes == NULL) {
        return E_OUTOFMEMORY;
    }
    sizes->memory = memory;
    sizes->layer.device = device;
    sizes->funcs = *funcs;
    HRESULT hr = poll_sizes(sizes);
    if (FAILED(hr)) {
        agpu_memory_free(memory, sizes, sizeof *sizes);
        return hr;
    }
    agpu_layer_enter(AGPU_LAYER_LOCAL_SIZES, &sizes->layer, device);
    owner->local_sizes = sizes;
    put_entries(funcs);
    return S_OK;
}

void agpu_local_sizes_end(struct agpu_runtime_device *owner)
{
    struct agpu_local_sizes *sizes = owner->local_sizes;

    if (sizes == NULL) {
        return;
    }
    agpu_layer_leave(AGPU_LAYER_LOCAL_SIZES, &sizes->layer);
    owner->local_sizes = NULL;
    agpu_memory_free(sizes->memory, sizes, sizeof *sizes);
}

const D3D11DDI_HANDLESIZE *agpu_local_sizes_advertised(const struct agpu_runtime_device *owner,
                                                       uint32_t *count)
{
    const struct agpu_local_sizes *sizes = owner->local_sizes;

    *count = sizes != NULL ? sizes->advertised_count : 0;
    return sizes != NULL ? sizes->advertised : NULL;
}

bool agpu_local_sizes_ask(struct agpu_runtime_device *owner, uint32_t handle_type, void *immediate)
{
    return owner->local_sizes == NULL || ask_about(owner->local_sizes, handle_type, immediate);
}

void agpu_local_sizes_forget(struct agpu_runtime_device *owner, const void *immediate)
{
    if (owner->local_sizes != NULL) {
        forget_object(owner->local_sizes, immediate);
    }
}

size_t agpu_local_size_of(const struct agpu_runtime_device *owner, const void *immediate)
{
    if (owner->local_sizes == NULL) {
        return 0;
    }
    const struct sized_object *object = *find_object(owner->local_sizes, immediate);
    return object != NULL ? object->bytes : 0;
}
