/* local_handles.c: creation and destruction of context-local handles. */
#include "umd-port/deferred/local_handles.h"

#include <string.h>

#include "umd-port/base/track.h"
#include "umd-port/state/unbind.h"
#include "umd-port/state/views.h"

static HRESULT create_local_resource(struct agpu_deferred_context *dc, struct agpu_local_resource *local,
                                     const struct agpu_shared_info *info)
{
    uint32_t symbol = agpu_symbol_new(dc, info->object, AGPU_SHARED_RESOURCE);

    if (!symbol) {
        return E_OUTOFMEMORY;
    }
    struct agpu_resource *resource = &local->resource;
    *resource = info->copy.resource;
    local->guest_backed = agpu_is_guest_backed(resource);
    resource->handle = resource->alloc_id = resource->alloc_handle = symbol;
    agpu_symbol_at(dc, symbol)->local = local;
    return S_OK;
}

/* Links the view to its local resource, whose destruction empties its local views. */
static void attach_local_view(struct agpu_view *view, struct agpu_resource *resource)
{
    view->resource = resource;
    view->next = resource->views;
    view->link = &resource->views;
    if (view->next != NULL) {
        view->next->link = &view->next;
    }
    resource->views = view;
}

static void detach_local_view(struct agpu_view *view)
{
    if (view->link == NULL) {
        return;
    }
    *view->link = view->next;
    if (view->next != NULL) {
        view->next->link = view->link;
    }
}

static HRESULT create_local_view(struct agpu_deferred_context *dc, struct agpu_view *view,
                                 const struct agpu_shared_info *info, struct agpu_local_resource *parent)
{
    if (parent == NULL || !parent->resource.handle || parent->resource.handle > dc->symbol_count ||
        agpu_symbol_at(dc, parent->resource.handle)->local != parent) {
        return E_INVALIDARG;
    }
    uint32_t symbol = 0;
    if (info->object != NULL) {
        symbol = agpu_symbol_new(dc, info->object, AGPU_SHARED_VIEW);
        if (!symbol) {
            return E_OUTOFMEMORY;
        }
    }
    *view = info->copy.view;
    view->handle = symbol;
    attach_local_view(view, &parent->resource);
    return S_OK;
}

static HRESULT create_local_object(struct agpu_deferred_context *dc, uint32_t type, void *local,
                                   const struct agpu_shared_info *info, void *parent)
{
    uint32_t symbol;

    switch (type) {
    case D3D10DDI_HT_RESOURCE:
        return create_local_resource(dc, local, info);
    case D3D10DDI_HT_SHADERRESOURCEVIEW:
    case D3D10DDI_HT_RENDERTARGETVIEW:
    case D3D10DDI_HT_DEPTHSTENCILVIEW:
    case D3D11DDI_HT_UNORDEREDACCESSVIEW:
        return create_local_view(dc, local, info, parent);
    case D3D10DDI_HT_BLENDSTATE:
        *(struct agpu_blend_object *)local = info->copy.blend;
        return S_OK;
    case D3D10DDI_HT_DEPTHSTENCILSTATE:
        *(struct agpu_depth_stencil_object *)local = info->copy.depth_stencil;
        return S_OK;
    case D3D10DDI_HT_RASTERIZERSTATE:
        *(struct agpu_rasterizer_object *)local = info->copy.rasterizer;
        return S_OK;
    default:
        break;
    }
    symbol = agpu_symbol_new(dc, info->object, (enum agpu_shared_kind)info->object->kind);
    if (!symbol) {
        return E_OUTOFMEMORY;
    }
    ((struct agpu_local_object *)local)->symbol = symbol;
    return S_OK;
}

HRESULT agpu_create_local(struct agpu_deferred_context *dc, uint32_t type, void *local,
                          void *immediate_object, void *parent)
{
    if (local == NULL) {
        return E_INVALIDARG;
    }
    memset(local, 0, agpu_local_handle_bytes(type));
    HRESULT hr = E_INVALIDARG;
    if (immediate_object != NULL) {
        const struct agpu_shared_info *info = agpu_shared_info_of(type, immediate_object);

        if (info->valid) {
            hr = create_local_object(dc, type, local, info, parent);
        }
    }
    return hr;
}

static void destroy_local_resource(struct agpu_deferred_context *dc, struct agpu_local_resource *local)
{
    struct agpu_resource *resource = &local->resource;

    agpu_empty_views(resource);
    if (dc == NULL || !resource->handle) {
        return;
    }
    agpu_forget_staging_write(resource);
    if (resource->map.active) {
        dc->open_maps--;
    }
    /* The runtime should have unbound it; if not, the bindings must not keep a pointer to it. */
    if (!agpu_unbind_destroyed(&dc->recorder.imm, resource)) {
        agpu_set_error(&dc->recorder.imm, E_OUTOFMEMORY);
    }
    agpu_symbol_free(dc, resource->handle);
}

void agpu_destroy_local(struct agpu_deferred_context *dc, uint32_t type, void *local)
{
    if (local == NULL) {
        return;
    }
    uint32_t symbol = 0;
    switch (type) {
    case D3D10DDI_HT_RESOURCE:
        destroy_local_resource(dc, local);
        break;
    case D3D10DDI_HT_SHADERRESOURCEVIEW:
    case D3D10DDI_HT_RENDERTARGETVIEW:
    case D3D10DDI_HT_DEPTHSTENCILVIEW:
    case D3D11DDI_HT_UNORDEREDACCESSVIEW:
        detach_local_view(local);
        symbol = ((struct agpu_view *)local)->handle;
        break;
    case D3D10DDI_HT_SHADER:
    case D3D10DDI_HT_ELEMENTLAYOUT:
    case D3D10DDI_HT_SAMPLERSTATE:
    case D3D10DDI_HT_QUERY:
        symbol = ((struct agpu_local_object *)local)->symbol;
        break;
    default:
        break;
    }
    if (dc != NULL && symbol) {
        agpu_symbol_free(dc, symbol);
    }
    memset(local, 0, agpu_local_handle_bytes(type));
}
