/* memory.c: AllocateCb and DeallocateCb with the private data that the kernel and other processes read; locks and
 * shadows (umd.md 1.3, 4, 5.3, 5.4, 6.4). */
#include "umd-port/resource/memory.h"

#include <string.h>

#include "umd-port/base/removal.h"
#include "umd-port/base/wait.h"
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

/* The CPU can access everything except render targets for which the application did not request CPU access. */
static uint32_t private_flags(const struct agpu_resource *resource)
{
    const bool target = resource->bind_flags & (D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_DEPTH_STENCIL);
    const bool staging = resource->usage == D3D10_DDI_USAGE_STAGING;

    return (resource->is_shared ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED : 0) |
           (staging ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING : 0) |
           (staging || !target || resource->cpu_access ? AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE : 0);
}

/* Returns the kernel's pitch: its own member, else the low half of reserved0, else the requested one. */
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
    uint64_t room = returned_bytes ? returned_bytes : wdk ? request->bytes : resource->bytes;
    if (resource->bytes >
        room) { /* size 0 is exactly what is needed (umd.md 4); the reference's two builds name this differently */
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
    bool hidden = !(private_flags(resource) & AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE);
    /* Bit n - 1 for segment n. */
    uint32_t segments = device->env->options->video_memory && (request->primary || hidden) ? 3 : 1;
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
    D3DDDI_ALLOCATIONINFO info = {
        .pPrivateDriverData = &blob,
        .PrivateDriverDataSize = sizeof blob,
        .Size = request->bytes,
        .Flags.Primary = request->primary,
        .VidPnSourceId = request->source,
        .SupportedReadSegmentSet = segments,
        .SupportedWriteSegmentSet = segments,
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
    resource->km_resource = args.hKMResource;
    hr = adopt_allocation(device, resource, request, &blob, info.Size);
    if (FAILED(hr)) {
        agpu_deallocate(device, resource);
    }
    return hr;
}

HRESULT agpu_deallocate(struct agpu_device *device, struct agpu_resource *resource)
{
    D3DKMT_HANDLE handle = resource->alloc_handle;
    const D3DDDICB_DEALLOCATE args = {
        .hResource = resource->runtime,
        .NumAllocations = handle != 0,
        .HandleList = &handle,
        .hKMResource = resource->km_resource,
    };
    bool any = handle || resource->km_resource;

    resource->alloc_handle = resource->km_resource = 0;
    resource->alloc_id = 0;
    if (!any || device->callbacks->pfnDeallocateCb == NULL) {
        return S_OK;
    }
    return device->callbacks->pfnDeallocateCb(device->runtime.handle, &args);
}

bool agpu_make_shadow(struct agpu_device *device, struct agpu_resource *resource)
{
    if (resource->shadow != NULL) {
        return true;
    }
    resource->env = device->env;
    resource->shadow = device->env->heap_alloc(device->env->ctx, (size_t)resource->bytes);
    if (resource->shadow == NULL) {
        return false;
    }
    memset(resource->shadow, 0, (size_t)resource->bytes);
    return true;
}

void agpu_free_shadow(struct agpu_resource *resource)
{
    if (resource->shadow != NULL) {
        resource->env->heap_free(resource->env->ctx, resource->shadow);
    }
    resource->shadow = NULL;
}

/* Two codes of a lock always mean busy, the others only when it may not wait. One of them has a clear sign bit, so
 * check this before SUCCEEDED() (umd.md 6.4). */
static bool lock_is_busy(HRESULT hr, bool poll)
{
    return hr == DXGI_ERROR_WAS_STILL_DRAWING || hr == D3DDDIERR_WASSTILLDRAWING ||
           hr == HRESULT_NT_TIMEOUT || (poll && agpu_is_busy(hr, true));
}

HRESULT agpu_lock_other(struct agpu_device *device, struct agpu_resource *resource, const D3DDDICB_LOCK *lock,
                        HRESULT hr)
{
    if (lock_is_busy(hr, lock->Flags.DonotWait)) {
        return DXGI_ERROR_WAS_STILL_DRAWING;
    }
    if (FAILED(hr)) {
        agpu_note_removal(device, hr);
        return hr;
    }
    if (lock->hAllocation != resource->alloc_handle && lock->hAllocation) {
        /* Discard renamed the allocation: lists, locks and the final deallocation must name the new instance. */
        resource->alloc_handle = lock->hAllocation;
        resource->track_epoch = 0;
        device->imm.pending |= AGPU_PENDING_STATE;
    }
    if (lock->pData == NULL) {
        if (agpu_mode(device) ==
            AGPU_BACKING_WDK) { /* the portable reference driver does not unlock what it could not map */
            agpu_unlock(device, resource);
        }
        return E_FAIL;
    }
    return S_OK;
}

void agpu_copy_rows(uint8_t *dst, uint32_t dst_pitch, const uint8_t *src, uint32_t src_pitch,
                    uint32_t row_bytes, uint32_t rows, bool fill)
{
    if (dst_pitch == row_bytes && src_pitch == row_bytes) {
        memcpy(dst, src, (size_t)row_bytes * rows);
        return;
    }
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(dst, src, row_bytes);
        if (fill && dst_pitch > row_bytes) {
            memset(dst + row_bytes, 0, dst_pitch - row_bytes);
        }
        dst += dst_pitch;
        src += src_pitch;
    }
}

HRESULT agpu_cpu_open(struct agpu_device *device, struct agpu_resource *resource, uint32_t map_type,
                      struct agpu_cpu_view *view)
{
    *view = (struct agpu_cpu_view){.data = resource->shadow};
    if (!agpu_is_guest_backed(resource)) {
        return view->data != NULL ? S_OK : E_FAIL;
    }
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_lock(device, resource, map_type, false, &lock);
    if (FAILED(hr)) {
        return hr;
    }
    *view = (struct agpu_cpu_view){.data = lock.pData, .locked = true};
    resource->shadow_current &= map_type == D3D10_DDI_MAP_READ;
    return S_OK;
}

void agpu_cpu_close(struct agpu_device *device, struct agpu_resource *resource, struct agpu_cpu_view *view)
{
    if (view->locked) {
        agpu_unlock(device, resource);
    }
    view->locked = false;
}
