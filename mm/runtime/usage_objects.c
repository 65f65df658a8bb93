/* usage_objects.c: usage rules of creation and destruction (umd.md 19): which resources may be created, and which views
 * of them. */
#include "mm/runtime/usage_objects.h"

#include "mm/runtime/usage_records.h"

/* Records a handle whose object never reached the driver, so that its destruction does not either. */
static HRESULT refuse_object(struct agpu_usage *usage, const void *handle)
{
    struct agpu_usage_object *object = agpu_usage_add(usage, handle);

    if (object == NULL) {
        return E_OUTOFMEMORY;
    }
    object->refused = true;
    return E_INVALIDARG;
}

/* ---- resources ---- */

static HRESULT checked_create_resource(D3D10DDI_HDEVICE device, const struct agpu_resource_desc *desc,
                                       D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    struct agpu_usage *usage = agpu_usage_of(device);

    if (desc == NULL) {
        return usage->funcs.pfnCreateResource(device, desc, resource, runtime);
    }
    if (agpu_usage_refuses(usage, agpu_rule_create(desc))) {
        return refuse_object(usage, resource.pDrvPrivate);
    }
    struct agpu_usage_object *object = agpu_usage_add(usage, resource.pDrvPrivate);
    if (object == NULL) {
        return E_OUTOFMEMORY;
    }
    object->resource = agpu_usage_resource_of(desc);
    HRESULT hr = usage->funcs.pfnCreateResource(device, desc, resource, runtime);
    if (FAILED(hr)) {
        agpu_usage_remove(usage, resource.pDrvPrivate);
    }
    return hr;
}

static HRESULT checked_open_resource(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args,
                                     D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    HRESULT hr = usage->funcs.pfnOpenResource(device, args, resource, runtime);

    if (FAILED(hr)) {
        return hr;
    }
    /* Without memory for a record the object is not checked, which is harmless. */
    struct agpu_usage_object *object = agpu_usage_add(usage, resource.pDrvPrivate);
    if (object != NULL) {
        object->resource = (struct agpu_usage_resource){.dimension = D3D10DDIRESOURCE_TEXTURE2D,
                                                        .usage = args->Usage,
                                                        .bind = args->BindFlags,
                                                        .cpu_access = args->CPUAccessFlags,
                                                        .mips = 1,
                                                        .opened = true};
    }
    return hr;
}

static void checked_destroy_resource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    const struct agpu_usage_object *object = agpu_usage_find(usage, resource.pDrvPrivate);
    bool refused = object != NULL && object->refused;

    agpu_usage_remove(usage, resource.pDrvPrivate);
    if (!refused) {
        usage->funcs.pfnDestroyResource(device, resource);
    }
}

/* ---- views ---- */

/* Returns the rule that a view of this resource for this bind flag breaks. */
static const char *view_rule(const struct agpu_usage *usage, D3D10DDI_HRESOURCE resource, uint32_t bind)
{
    const struct agpu_usage_object *of = agpu_usage_find(usage, resource.pDrvPrivate);

    if (of == NULL) {
        return NULL;
    }
    return of->refused ? AGPU_RULE_CREATED : agpu_rule_bind(&of->resource, bind);
}

/* Records the resource of a view. */
static HRESULT add_view(struct agpu_usage *usage, const void *handle, D3D10DDI_HRESOURCE resource)
{
    struct agpu_usage_object *object = agpu_usage_add(usage, handle);

    if (object != NULL) {
        object->view = true;
        object->of = resource.pDrvPrivate;
    }
    return object != NULL ? S_OK : E_OUTOFMEMORY;
}

#define CHECKED_VIEW(name, create_entry, destroy_entry, args_type, handle_type, runtime_type, bind)          \
    static HRESULT checked_create_##name(D3D10DDI_HDEVICE device, const args_type *args, handle_type view,   \
                                         runtime_type runtime)                                               \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
                                                                                                             \
        if (args != NULL && agpu_usage_refuses(usage, view_rule(usage, args->hDrvResource, (bind)))) {       \
            return refuse_object(usage, view.pDrvPrivate);                                                   \
        }                                                                                                    \
        HRESULT hr = args != NULL ? add_view(usage, view.pDrvPrivate, args->hDrvResource) : S_OK;            \
        if (SUCCEEDED(hr)) {                                                                                 \
            hr = usage->funcs.create_entry(device, args, view, runtime);                                     \
        }                                                                                                    \
        if (FAILED(hr)) {                                                                                    \
            agpu_usage_remove(usage, view.pDrvPrivate);                                                      \
        }                                                                                                    \
        return hr;                                                                                           \
    }                                                                                                        \
                                                                                                             \
    static void checked_destroy_##name(D3D10DDI_HDEVICE device, handle_type view)                            \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
        const struct agpu_usage_object *object = agpu_usage_find(usage, view.pDrvPrivate);                   \
        bool refused = object != NULL && object->refused;                                                    \
                                                                                                             \
        agpu_usage_remove(usage, view.pDrvPrivate);                                                          \
        if (!refused) {                                                                                      \
            usage->funcs.destroy_entry(device, view);                                                        \
        }                                                                                                    \
    }
CHECKED_VIEW(srv, pfnCreateShaderResourceView, pfnDestroyShaderResourceView,
             D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HSHADERRESOURCEVIEW,
             D3D10DDI_HRTSHADERRESOURCEVIEW, D3D10_DDI_BIND_SHADER_RESOURCE)
CHECKED_VIEW(rtv, pfnCreateRenderTargetView, pfnDestroyRenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW,
             D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW, D3D10_DDI_BIND_RENDER_TARGET)
CHECKED_VIEW(dsv, pfnCreateDepthStencilView, pfnDestroyDepthStencilView, D3D10DDIARG_CREATEDEPTHSTENCILVIEW,
             D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW, D3D10_DDI_BIND_DEPTH_STENCIL)
CHECKED_VIEW(uav, pfnCreateUnorderedAccessView, pfnDestroyUnorderedAccessView,
             D3D11DDIARG_CREATEUNORDEREDACCESSVIEW, D3D11DDI_HUNORDEREDACCESSVIEW,
             D3D11DDI_HRTUNORDEREDACCESSVIEW, D3D11_DDI_BIND_UNORDERED_ACCESS)

/* A windowed present copies to a part of the destination (umd.md 3.1). */
static HRESULT checked_blt(D3D10DDI_HDEVICE device, const DXGI_DDI_ARG_BLT *args)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    const struct agpu_usage_object *dst, *src;

    if (args != NULL) {
        dst = agpu_usage_find(usage, args->hDstResource.pDrvPrivate);
        src = agpu_usage_find(usage, args->hSrcResource.pDrvPrivate);
        if (dst != NULL && src != NULL &&
            (agpu_usage_refuses(usage, agpu_rule_copy_dst(&dst->resource)) ||
             agpu_usage_refuses(usage, dst->mapped || src->mapped ? AGPU_RULE_COPY_MAPPED : NULL))) {
            return E_INVALIDARG;
        }
    }
    return usage->funcs.pfnBlt(device, args);
}

void agpu_usage_check_objects(struct agpu_api_device *funcs)
{
    AGPU_USAGE_WRAP(funcs, pfnCreateResource, checked_create_resource);
    AGPU_USAGE_WRAP(funcs, pfnOpenResource, checked_open_resource);
    AGPU_USAGE_WRAP(funcs, pfnDestroyResource, checked_destroy_resource);
    AGPU_USAGE_WRAP(funcs, pfnCreateShaderResourceView, checked_create_srv);
    AGPU_USAGE_WRAP(funcs, pfnDestroyShaderResourceView, checked_destroy_srv);
    AGPU_USAGE_WRAP(funcs, pfnCreateRenderTargetView, checked_create_rtv);
    AGPU_USAGE_WRAP(funcs, pfnDestroyRenderTargetView, checked_destroy_rtv);
    AGPU_USAGE_WRAP(funcs, pfnCreateDepthStencilView, checked_create_dsv);
    AGPU_USAGE_WRAP(funcs, pfnDestroyDepthStencilView, checked_destroy_dsv);
    AGPU_USAGE_WRAP(funcs, pfnCreateUnorderedAccessView, checked_create_uav);
    AGPU_USAGE_WRAP(funcs, pfnDestroyUnorderedAccessView, checked_destroy_uav);
    AGPU_USAGE_WRAP(funcs, pfnBlt, checked_blt);
}
