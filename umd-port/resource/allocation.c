/* allocation.c: AllocateCb and DeallocateCb with the private data that kernel and other processes read
 * (umd.md 5.3, 5.4). */
#include "umd-port/resource/allocation.h"

#include "umd-port/format/layout.h"

enum agpu_backing agpu_choose_backing(const struct agpu_device *device, const struct agpu_resource *resource,
                                      bool primary)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;

    switch (agpu_mode(device)) {
    case AGPU_BACKING_HOST:
        return AGPU_BACKED_BY_DEVICE;
    case AGPU_BACKING_GUEST:
        return callbacks->pfnAllocateCb != NULL && callbacks->pfnLockCb != NULL &&
                       callbacks->pfnUnlockCb != NULL
                   ? AGPU_BACKED_BY_GUEST
                   : AGPU_BACKED_BY_DEVICE;
    default:
        break;
    }
    if (resource->usage == D3D10_DDI_USAGE_DYNAMIC && !resource->is_shared && !primary &&
        !device->env->options->dynamic_guest_backed) {
        return AGPU_BACKED_BY_DEVICE_LOCKABLE;
    }
    return AGPU_BACKED_BY_GUEST;
}

/* The CPU reaches everything but render targets, which it reaches only when the application asked to. */
static uint32_t private_flags(const struct agpu_resource *resource)
{
    uint32_t flags = resource->is_shared ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED : 0;
    bool target = resource->bind_flags & (D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_DEPTH_STENCIL);

    if (!target || resource->cpu_access) {
        flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
    }
    if (resource->usage == D3D10_DDI_USAGE_STAGING) {
        flags |= AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING | AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE;
    }
    return flags;
}

/* The pitch that came back: its own member, else the low half of reserved0, else as asked. */
static uint32_t returned_pitch(const struct aerogpu_wddm_alloc_priv_v2 *blob, uint32_t asked)
{
    if (blob->row_pitch_bytes) {
        return blob->row_pitch_bytes;
    }
    uint32_t low = (uint32_t)blob->reserved0;
    return low && !AEROGPU_WDDM_ALLOC_PRIV_DESC_PRESENT(blob->reserved0) ? low : asked;
}

static HRESULT adopt_allocation(struct agpu_device *device, struct agpu_resource *resource,
                                const struct agpu_allocation_request *request,
                                const struct aerogpu_wddm_alloc_priv_v2 *blob, uint64_t returned_bytes)
{
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;

    if (!resource->alloc_handle || (wdk && !resource->km_resource) || !blob->alloc_id) {
        return E_FAIL;
    }
    if (resource->is_shared && wdk) {
        if (!(blob->flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED) || !blob->share_token) {
            return E_FAIL;
        }
        resource->share_token = blob->share_token;
    }
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        struct agpu_texture_layout *layout = &resource->layout;
        const struct agpu_format *format = agpu_format_find(resource->dxgi_format);
        uint32_t pitch = returned_pitch(blob, request->row_pitch);

        if (pitch != layout->row_pitch && !agpu_layout_build(layout, format, layout->width, layout->height,
                                                             layout->mips, layout->layers, pitch)) {
            return E_INVALIDARG;
        }
        resource->bytes = layout->total_bytes;
    }
    uint64_t room = returned_bytes ? returned_bytes : request->bytes;
    if (resource->bytes > room) { /* the reference's two builds name this differently */
        return wdk ? E_INVALIDARG : E_OUTOFMEMORY;
    }
    if (request->backing == AGPU_BACKED_BY_GUEST) {
        resource->alloc_id = blob->alloc_id;
    }
    return S_OK;
}

HRESULT agpu_allocate(struct agpu_device *device, struct agpu_resource *resource,
                      const struct agpu_allocation_request *request)
{
    bool texture = resource->kind == AGPU_KIND_TEXTURE2D;
    struct aerogpu_wddm_alloc_priv_v2 blob = {
        .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
        .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
        .alloc_id = resource->handle & AEROGPU_WDDM_ALLOC_ID_UMD_MAX,
        .flags = private_flags(resource),
        .size_bytes = request->bytes,
        .reserved0 = request->row_pitch,
        .kind = resource->kind,
        .row_pitch_bytes = request->row_pitch,
    };

    if (texture) {
        blob.width = resource->layout.width;
        blob.height = resource->layout.height;
        blob.format = resource->dxgi_format;
    }
    D3DDDICB_ALLOCATIONINFO info = {
        .pPrivateDriverData = &blob,
        .PrivateDriverDataSize = sizeof blob,
        .Size = request->bytes,
        .Flags.Primary = request->primary,
        .VidPnSourceId = request->source,
        .SupportedReadSegmentSet = 1,
        .SupportedWriteSegmentSet = 1,
    };
    D3DDDICB_ALLOCATE args = {
        .hResource = resource->runtime,
        .NumAllocations = 1,
        .pAllocationInfo = &info,
        .Flags = {.CreateResource = 1, .CreateShared = resource->is_shared & 1u, .Primary = request->primary},
        .ResourceFlags = {.RenderTarget = (resource->bind_flags & D3D10_DDI_BIND_RENDER_TARGET) != 0,
                          .ZBuffer = (resource->bind_flags & D3D10_DDI_BIND_DEPTH_STENCIL) != 0},
    };
    HRESULT hr = device->callbacks->pfnAllocateCb(device->runtime.handle, &args);
    if (FAILED(hr)) {
        return hr;
    }
    resource->alloc_handle = info.hAllocation;
    resource->km_allocation = info.hAllocation;
    resource->km_resource = args.hKMResource;
    hr = adopt_allocation(device, resource, request, &blob, info.Size);
    if (FAILED(hr)) {
        agpu_deallocate(device, resource);
    }
    return hr;
}

HRESULT agpu_deallocate(struct agpu_device *device, struct agpu_resource *resource)
{
    D3DKMT_HANDLE handle = resource->km_allocation;
    const D3DDDICB_DEALLOCATE args = {
        .hResource = resource->runtime,
        .hKMResource = resource->km_resource,
        .NumAllocations = handle != 0,
        .HandleList = &handle,
    };
    bool any = handle || resource->km_resource;

    resource->alloc_handle = resource->km_allocation = resource->km_resource = 0;
    resource->alloc_id = 0;
    resource->track_epoch = 0;
    if (!any || device->callbacks->pfnDeallocateCb == NULL) {
        return S_OK;
    }
    return device->callbacks->pfnDeallocateCb(device->runtime.handle, &args);
}
