/* views.c: views: the whole resource through its own handle, or part of a texture through an explicit view (umd.md
 * 9). */
#include "umd-port/state/views.h"

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/format.h"
#include "umd-port/state/objects.h"
#include "umd-port/state/view_packets.h"

/* Parameters of a view description of any kind. */
struct view_request {
    struct agpu_resource *resource;
    uint32_t format; /* DXGI; 0 = the resource's */
    uint32_t dimension;
    uint32_t first_mip, mips; /* mips 0 = all that remain */
    uint32_t first_slice, slices;
    bool target; /* render target or depth-stencil: one mip */
};

static uint32_t remaining_count(uint32_t first, uint32_t count, uint32_t total)
{
    return count == 0 || count == AGPU_DDI_ALL_REMAINING ? total - first : count;
}

/* Fills view with an explicit view of part of the texture. Checks the gate before the range, so that an unsupported
 * feature is reported in preference to a wrong argument. */
static HRESULT create_part_view(struct agpu_device *device, const struct view_request *request,
                                struct agpu_view *view)
{
    struct agpu_resource *resource = request->resource;
    const struct agpu_texture_layout *layout = &resource->layout;

    if (!agpu_gate_texture_view(device->adapter)) {
        return E_NOTIMPL;
    }
    if (request->first_mip >= layout->mips || request->first_slice >= layout->layers) {
        return E_INVALIDARG;
    }
    uint32_t mips = request->target ? 1 : remaining_count(request->first_mip, request->mips, layout->mips);
    uint32_t slices = remaining_count(request->first_slice, request->slices, layout->layers);
    if (mips > layout->mips - request->first_mip || slices > layout->layers - request->first_slice) {
        return E_INVALIDARG;
    }
    uint32_t dxgi = request->format ? request->format : resource->dxgi_format;
    uint32_t protocol = agpu_adapter_protocol_format(device->adapter, dxgi);
    if (!protocol || !agpu_format_related(resource->dxgi_format, dxgi)) {
        return E_NOTIMPL;
    }
    struct agpu_view part = {
        .resource = resource,
        .handle = agpu_adapter_next_handle(device->adapter),
        .format = protocol,
        .first_mip = request->first_mip,
        .mips = mips,
        .first_layer = request->first_slice,
        .layers = slices,
    };
    if (!agpu_emit_create_view(&device->imm.cmd, &part)) {
        return E_OUTOFMEMORY;
    }
    *view = part;
    return S_OK;
}

static HRESULT create_texture_view(struct agpu_device *device, struct view_request *request,
                                   struct agpu_view *view)
{
    const struct agpu_resource *resource = request->resource;
    bool array = request->dimension == AGPU_DDI_VIEW_TEXTURE2DARRAY;

    if (request->dimension && request->dimension != AGPU_DDI_VIEW_TEXTURE2D && !array) {
        return E_NOTIMPL;
    }
    if (!request->dimension) {
        request->first_mip = request->mips = 0;
    }
    if (!array) {
        request->first_slice = request->slices = 0;
    }
    bool all_mips = request->first_mip == 0 &&
                    (request->target ||
                     remaining_count(0, request->mips, resource->layout.mips) == resource->layout.mips);
    bool all_slices = request->first_slice == 0 &&
                      remaining_count(0, request->slices, resource->layout.layers) == resource->layout.layers;
    bool same_format = !request->format || request->format == resource->dxgi_format;
    if (!all_mips || !all_slices || !same_format) {
        return create_part_view(device, request, view);
    }
    view->resource = request->resource;
    return S_OK;
}

/* Sets the view to elements [first, first + count) of a buffer, in bytes; count 0 = the rest. */
static HRESULT create_buffer_view(struct agpu_resource *resource, uint32_t format, uint32_t element_bytes,
                                  uint32_t first, uint32_t count, struct agpu_view *view)
{
    const struct agpu_format *known = agpu_format_find(format);
    uint32_t step = element_bytes                ? element_bytes
                    : resource->structure_stride ? resource->structure_stride
                    : known != NULL              ? known->bytes
                                                 : 4;
    uint64_t offset = (uint64_t)first * step;
    uint64_t size = count                           ? (uint64_t)count * step
                    : resource->byte_width > offset ? resource->byte_width - offset
                                                    : 0;

    if (!size || offset + size > resource->byte_width || (offset | size) & 3) {
        return E_INVALIDARG;
    }
    *view = (struct agpu_view){.resource = resource, .offset = (uint32_t)offset, .size = (uint32_t)size};
    return S_OK;
}

/* Links a created view to its resource: a rotation re-creates explicit views, and a destroyed resource empties its
 * views. */
static void attach_view(struct agpu_view *view)
{
    struct agpu_resource *resource = view->resource;

    view->next = resource->views;
    view->link = &resource->views;
    if (view->next != NULL) {
        view->next->link = &view->next;
    }
    resource->views = view;
}

static void detach_view(struct agpu_view *view)
{
    if (view->link == NULL) {
        return;
    }
    *view->link = view->next;
    if (view->next != NULL) {
        view->next->link = view->link;
    }
}

void agpu_empty_views(struct agpu_resource *resource)
{
    while (resource->views != NULL) {
        struct agpu_view *view = resource->views;

        detach_view(view);
        view->resource = NULL;
        view->next = NULL;
        view->link = NULL;
    }
}

static HRESULT finish_view(struct agpu_device *device, const char *name, struct agpu_view *view, HRESULT hr)
{
    if (SUCCEEDED(hr)) {
        attach_view(view);
    }
    AGPU_TRACE_CALL(&device->imm, "%s view=%u -> hr=0x%X", name, view->handle, (unsigned)hr);
    return hr;
}

/* Clears the object before any check. Returns the context, or NULL when the call is refused. */
static struct agpu_context *begin_view(D3D10DDI_HDEVICE handle, struct agpu_view *view, const void *args,
                                       D3D10DDI_HRESOURCE resource)
{
    if (view == NULL) {
        return NULL;
    }
    *view = (struct agpu_view){.resource = NULL};
    const struct agpu_resource *object = resource.pDrvPrivate;
    return args != NULL && object != NULL && object->handle ? agpu_context_of(handle) : NULL;
}

size_t agpu_calc_srv_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateShaderResourceViewSize", sizeof(struct agpu_view));
}

size_t agpu_calc_rtv_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERENDERTARGETVIEW *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateRenderTargetViewSize", sizeof(struct agpu_view));
}

size_t agpu_calc_dsv_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateDepthStencilViewSize", sizeof(struct agpu_view));
}

size_t agpu_calc_uav_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *args)
{
    (void)args;
    return agpu_traced_size(device, "CalcPrivateUnorderedAccessViewSize", sizeof(struct agpu_view));
}

HRESULT agpu_create_srv(D3D10DDI_HDEVICE handle, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args,
                        D3D10DDI_HSHADERRESOURCEVIEW view_handle, D3D10DDI_HRTSHADERRESOURCEVIEW runtime)
{
    struct agpu_view *view = view_handle.pDrvPrivate;

    struct agpu_context *context =
        begin_view(handle, view, args, args != NULL ? args->hDrvResource : (D3D10DDI_HRESOURCE){NULL});
    (void)runtime;
    if (context == NULL) {
        return agpu_traced_result(handle, "CreateShaderResourceView", E_INVALIDARG);
    }
    struct agpu_resource *resource = args->hDrvResource.pDrvPrivate;
    HRESULT hr;
    if (resource->kind == AGPU_KIND_BUFFER) {
        /* The portable reference driver has texture views only. */
        hr = agpu_mode(context->device) == AGPU_BACKING_WDK
                 ? create_buffer_view(resource, args->Format, args->ElementBytes, args->FirstElement,
                                      args->NumElements, view)
                 : E_NOTIMPL;
    } else {
        struct view_request request = {
            .resource = resource,
            .format = args->Format,
            .dimension = args->ViewDimension,
            .first_mip = args->MostDetailedMip,
            .mips = args->MipLevels,
            .first_slice = args->FirstArraySlice,
            .slices = args->ArraySize,
        };

        hr = create_texture_view(context->device, &request, view);
    }
    return finish_view(context->device, "CreateShaderResourceView", view, hr);
}

static HRESULT create_target_view(D3D10DDI_HDEVICE handle, const D3D10DDIARG_CREATERENDERTARGETVIEW *args,
                                  struct agpu_view *view, const char *name)
{
    struct agpu_context *context =
        begin_view(handle, view, args, args != NULL ? args->hDrvResource : (D3D10DDI_HRESOURCE){NULL});
    if (context == NULL) {
        return agpu_traced_result(handle, name, E_INVALIDARG);
    }
    struct agpu_resource *resource = args->hDrvResource.pDrvPrivate;
    if (resource->kind == AGPU_KIND_BUFFER) {
        if (agpu_mode(context->device) == AGPU_BACKING_WDK) {
            return finish_view(context->device, name, view, E_NOTIMPL);
        }
        view->resource = resource;
        return finish_view(context->device, name, view, S_OK);
    }
    struct view_request request = {
        .resource = resource,
        .format = args->Format,
        .dimension = args->ViewDimension,
        .first_mip = args->MipSlice,
        .first_slice = args->FirstArraySlice,
        .slices = args->ArraySize,
        .target = true,
    };
    return finish_view(context->device, name, view, create_texture_view(context->device, &request, view));
}

HRESULT agpu_create_rtv(D3D10DDI_HDEVICE handle, const D3D10DDIARG_CREATERENDERTARGETVIEW *args,
                        D3D10DDI_HRENDERTARGETVIEW view, D3D10DDI_HRTRENDERTARGETVIEW runtime)
{
    (void)runtime;
    return create_target_view(handle, args, view.pDrvPrivate, "CreateRenderTargetView");
}

HRESULT agpu_create_dsv(D3D10DDI_HDEVICE handle, const D3D10DDIARG_CREATEDEPTHSTENCILVIEW *args,
                        D3D10DDI_HDEPTHSTENCILVIEW view, D3D10DDI_HRTDEPTHSTENCILVIEW runtime)
{
    (void)runtime;
    return create_target_view(handle, args, view.pDrvPrivate, "CreateDepthStencilView");
}

HRESULT agpu_create_uav(D3D10DDI_HDEVICE handle, const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW *args,
                        D3D11DDI_HUNORDEREDACCESSVIEW view_handle, D3D11DDI_HRTUNORDEREDACCESSVIEW runtime)
{
    struct agpu_view *view = view_handle.pDrvPrivate;

    struct agpu_context *context =
        begin_view(handle, view, args, args != NULL ? args->hDrvResource : (D3D10DDI_HRESOURCE){NULL});
    (void)runtime;
    if (context == NULL) {
        return agpu_traced_result(handle, "CreateUnorderedAccessView", E_INVALIDARG);
    }
    struct agpu_resource *resource = args->hDrvResource.pDrvPrivate;
    HRESULT hr = resource->kind == AGPU_KIND_BUFFER
                     ? create_buffer_view(resource, args->Format, args->ElementBytes, args->FirstElement,
                                          args->NumElements, view)
                     : E_NOTIMPL;
    return finish_view(context->device, "CreateUnorderedAccessView", view, hr);
}

/* A destroyed view stays bound, and nothing points at it. The exception is a view with its own handle: the device has
 * emptied those slots (commands.md 15), and sending the handle again would be an error. */
static void forget_bound_view(struct agpu_context *context, uint32_t view_handle)
{
    static const struct agpu_bound_view nothing;
    struct agpu_target_set *targets = &context->targets;

    for (uint32_t slot = 0; slot < targets->count; slot++) {
        if (targets->colors[slot].view == view_handle) {
            targets->colors[slot] = nothing;
        }
    }
    if (targets->depth.view == view_handle) {
        targets->depth = nothing;
    }
    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        for (uint32_t slot = 0; slot < context->stages[stage].view_top; slot++) {
            if (context->stages[stage].views[slot].view == view_handle) {
                context->stages[stage].views[slot] = nothing;
            }
        }
    }
}

static void destroy_view(D3D10DDI_HDEVICE handle, const char *name, struct agpu_view *view)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (view == NULL) {
        return;
    }
    if (context != NULL) {
        AGPU_TRACE_CALL(context, "%s view=%u", name, view->handle);
    }
    detach_view(view);
    uint32_t view_handle = view->handle;
    *view = (struct agpu_view){.resource = NULL};
    if (context == NULL || !view_handle) {
        return;
    }
    forget_bound_view(context, view_handle);
    if (!agpu_emit_destroy_view(&context->cmd, view_handle)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

void agpu_destroy_srv(D3D10DDI_HDEVICE device, D3D10DDI_HSHADERRESOURCEVIEW view)
{
    destroy_view(device, "DestroyShaderResourceView", view.pDrvPrivate);
}

void agpu_destroy_rtv(D3D10DDI_HDEVICE device, D3D10DDI_HRENDERTARGETVIEW view)
{
    destroy_view(device, "DestroyRenderTargetView", view.pDrvPrivate);
}

void agpu_destroy_dsv(D3D10DDI_HDEVICE device, D3D10DDI_HDEPTHSTENCILVIEW view)
{
    destroy_view(device, "DestroyDepthStencilView", view.pDrvPrivate);
}

void agpu_destroy_uav(D3D10DDI_HDEVICE device, D3D11DDI_HUNORDEREDACCESSVIEW view)
{
    destroy_view(device, "DestroyUnorderedAccessView", view.pDrvPrivate);
}
