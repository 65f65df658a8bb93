/* map.c: Map: the checks of every entry point in their documented order, synchronisation, and the pointer
 * handed out (umd.md 6.1 to 6.4). */
#include <string.h>

#include "umd-port/base/submit.h"
#include "umd-port/base/track.h"
#include "umd-port/resource/mapping.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/resource_ddi.h"

#define IA_BIND       (D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER)
#define CONSTANT_BIND D3D10_DDI_BIND_CONSTANT_BUFFER

static bool reads(uint32_t type)
{
    return type == D3D10_DDI_MAP_READ || type == D3D10_DDI_MAP_READWRITE;
}

static bool writes(uint32_t type)
{
    return type != D3D10_DDI_MAP_READ;
}

/* Usage against map type, then against CPU access (umd.md 6.2). */
static bool type_allowed(const struct agpu_resource *resource, uint32_t type)
{
    uint32_t cpu = resource->cpu_access;

    switch (resource->usage) {
    case D3D10_DDI_USAGE_DYNAMIC:
        return (type == D3D10_DDI_MAP_WRITE_DISCARD || type == D3D10_DDI_MAP_WRITE_NOOVERWRITE) &&
               (cpu & D3D10_DDI_CPU_ACCESS_WRITE);
    case D3D10_DDI_USAGE_STAGING:
        return type <= D3D10_DDI_MAP_READWRITE && (!reads(type) || (cpu & D3D10_DDI_CPU_ACCESS_READ)) &&
               (!writes(type) || (cpu & D3D10_DDI_CPU_ACCESS_WRITE));
    default:
        return false;
    }
}

/* What is being mapped, in the resource's own layout. */
static bool find_region(const struct agpu_resource *resource, uint32_t index, struct agpu_subresource *region)
{
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        return agpu_layout_subresource(&resource->layout, index, region);
    }
    *region = (struct agpu_subresource){.bytes = resource->bytes, .rows = 1};
    return resource->kind == AGPU_KIND_BUFFER && index == 0 && resource->byte_width;
}

static HRESULT submit_and_wait(struct agpu_device *device, const struct agpu_resource *resource, bool poll)
{
    HRESULT hr = agpu_submit(device, NULL); /* also for a poll: a later retry can then succeed */

    if (FAILED(hr)) {
        return hr;
    }
    uint64_t fence = resource->last_gpu_write_fence;
    return fence ? agpu_wait_fence(device, fence, poll) : S_OK;
}

/* Waits as the type demands (umd.md 6.3). */
static HRESULT synchronise(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                           bool poll)
{
    if (reads(type)) {
        return submit_and_wait(device, resource, poll);
    }
    /* The kernel cannot see commands that are still recorded here: a lock that waits, or that renames the
     * instance they name, has to find them submitted (vidmm.md 4.3, 4.4). */
    if (agpu_is_guest_backed(resource) && type != D3D10_DDI_MAP_WRITE_NOOVERWRITE &&
        agpu_is_referenced(device, resource) && agpu_mode(device) == AGPU_BACKING_WDK) {
        return agpu_submit(device, NULL);
    }
    return S_OK;
}

HRESULT agpu_undo_map(struct agpu_device *device, struct agpu_resource *resource, HRESULT hr)
{
    if (resource->map.locked) {
        agpu_unlock(device, resource);
    }
    resource->map = (struct agpu_mapping){0};
    return hr;
}

HRESULT agpu_map_copy(struct agpu_device *device, struct agpu_resource *resource)
{
    struct agpu_mapping *map = &resource->map;
    uint8_t *copy = device->env->heap_alloc(device->env->ctx, (size_t)map->bytes);

    if (copy == NULL) {
        return E_OUTOFMEMORY;
    }
    if (map->type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(copy, 0, (size_t)map->bytes);
    } else {
        memcpy(copy, map->data, (size_t)map->bytes);
    }
    map->target = map->data;
    map->data = copy;
    return S_OK;
}

/* WDK callers rely on 16-byte alignment; packed mips may start anywhere. A misaligned one is handed out as a
 * copy. */
static HRESULT align_pointer(struct agpu_device *device, struct agpu_resource *resource)
{
    if (!((uintptr_t)resource->map.data & 15) || agpu_mode(device) != AGPU_BACKING_WDK) {
        return S_OK;
    }
    return agpu_map_copy(device, resource);
}

static HRESULT map_shadow(struct agpu_device *device, struct agpu_resource *resource,
                          const struct agpu_subresource *region)
{
    resource->map.data = resource->shadow + region->offset;
    if (resource->map.type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(resource->map.data, 0, (size_t)region->bytes);
    }
    return align_pointer(device, resource);
}

/* Guest-backed: the allocation itself. Protocol pitch wins over whatever the lock says (umd.md 17). */
static HRESULT map_guest(struct agpu_device *device, struct agpu_resource *resource,
                         const struct agpu_subresource *region, D3DDDICB_LOCKFLAGS flags)
{
    struct agpu_mapping *map = &resource->map;
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_lock(device, resource, flags, &lock);

    if (FAILED(hr)) {
        return hr;
    }
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;
    map->locked = 1;
    if (wdk && lock.Pitch && lock.Pitch < region->row_bytes) {
        return agpu_undo_map(device, resource, E_INVALIDARG);
    }
    map->data = (uint8_t *)lock.pData + resource->alloc_offset + region->offset;
    if (map->type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(map->data, 0, (size_t)region->bytes);
    }
    /* Unmap may fail to record; the bytes that the device knows must be there to put back. */
    if (wdk && resource->usage == D3D10_DDI_USAGE_STAGING && map->writes) {
        if (!agpu_make_shadow(device, resource)) {
            return agpu_undo_map(device, resource, E_OUTOFMEMORY);
        }
        memcpy(resource->shadow + region->offset, map->data, (size_t)map->bytes);
    }
    hr = align_pointer(device, resource);
    return FAILED(hr) ? agpu_undo_map(device, resource, hr) : hr;
}

/* Host-owned with an allocation: its memory is what the application sees, the shadow is what was uploaded.
 * Every way of not getting the memory falls back to the shadow (umd.md 6.4). */
static HRESULT map_lockable(struct agpu_device *device, struct agpu_resource *resource,
                            const struct agpu_subresource *region, uint32_t type, D3DDDICB_LOCKFLAGS flags)
{
    struct agpu_mapping *map = &resource->map;
    D3DDDICB_LOCK lock;

    if (FAILED(agpu_lock(device, resource, flags, &lock))) {
        return map_shadow(device, resource, region);
    }
    map->locked = 1;
    if (region->row_bytes && region->mip == 0 && lock.Pitch) {
        if (lock.Pitch < region->row_bytes) {
            return agpu_undo_map(device, resource, E_INVALIDARG);
        }
        map->pitch = lock.Pitch;
        map->bytes = (uint64_t)lock.Pitch * region->rows;
    }
    map->data = (uint8_t *)lock.pData + region->offset;
    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(map->data, 0, (size_t)map->bytes);
    } else if (region->row_bytes) {
        agpu_copy_rows(map->data, map->pitch, resource->shadow + region->offset, region->pitch,
                       region->row_bytes, region->rows, false);
    } else {
        memcpy(map->data, resource->shadow, (size_t)map->bytes);
    }
    HRESULT hr = align_pointer(device, resource);
    return FAILED(hr) ? agpu_undo_map(device, resource, hr) : hr;
}

/* All checks passed: synchronise and hand out memory. */
HRESULT agpu_map_region(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                        const struct agpu_subresource *region, uint32_t type, uint32_t flags,
                        D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    bool poll = (flags & D3D10_DDI_MAP_FLAG_DONOTWAIT) != 0;
    HRESULT hr = synchronise(device, resource, type, poll);

    if (FAILED(hr)) {
        return hr;
    }
    D3DDDICB_LOCKFLAGS lock_flags = agpu_lock_flags(type);
    lock_flags.DonotWait = poll;
    struct agpu_mapping *map = &resource->map;
    *map = (struct agpu_mapping){
        .type = (uint8_t)type,
        .writes = writes(type),
        .subresource = index,
        .pitch = region->pitch,
        .offset = region->offset,
        .bytes = region->bytes,
    };
    if (agpu_is_guest_backed(resource)) {
        hr = map_guest(device, resource, region, lock_flags);
    } else if (resource->alloc_handle) {
        hr = map_lockable(device, resource, region, type, lock_flags);
    } else {
        hr = map_shadow(device, resource, region);
    }
    if (FAILED(hr)) {
        return hr;
    }
    map->active = 1;
    out->pData = map->data;
    out->RowPitch = map->pitch;
    out->DepthPitch = map->pitch ? (uint32_t)map->bytes : 0;
    return S_OK;
}

/* The general order. flags_first: the portable reference's generic Map looks at the flags before the
 * mapping. */
static HRESULT map_checked(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                           uint32_t type, uint32_t flags, bool flags_first, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_subresource region;
    bool bad_flags = (flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT) != 0;

    if (out == NULL || (bad_flags && flags_first)) {
        return E_INVALIDARG;
    }
    if (resource->map.active) {
        return E_FAIL;
    }
    if (!find_region(resource, index, &region) || bad_flags || type < D3D10_DDI_MAP_READ ||
        type > D3D10_DDI_MAP_WRITE_NOOVERWRITE || !type_allowed(resource, type)) {
        return E_INVALIDARG;
    }
    return agpu_map_region(device, resource, index, &region, type, flags, out);
}

void agpu_report_map(struct agpu_context *context, HRESULT hr)
{
    if (hr != DXGI_ERROR_WAS_STILL_DRAWING && agpu_mode(context->device) == AGPU_BACKING_WDK) {
        agpu_set_error(context, hr);
    }
}

HRESULT agpu_resource_map(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                          uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL || resource == NULL) {
        return E_INVALIDARG;
    }
    if (type == D3D10_DDI_MAP_WRITE_DISCARD && (resource->bind_flags & (IA_BIND | CONSTANT_BIND))) {
        return agpu_map_dynamic(context, resource, index, IA_BIND | CONSTANT_BIND, type, flags, out);
    }
    if (type == D3D10_DDI_MAP_WRITE_NOOVERWRITE && (resource->bind_flags & IA_BIND)) {
        return agpu_map_dynamic(context, resource, index, IA_BIND, type, flags, out);
    }
    struct agpu_device *device = context->device;
    bool flags_first = agpu_mode(device) != AGPU_BACKING_WDK;
    return agpu_finish_map(context, resource, type,
                           map_checked(device, resource, index, type, flags, flags_first, out));
}

HRESULT agpu_staging_map(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                         uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL || resource == NULL) {
        return E_INVALIDARG;
    }
    HRESULT hr = resource->kind == AGPU_KIND_TEXTURE2D
                     ? map_checked(context->device, resource, index, type, flags, false, out)
                     : E_INVALIDARG;
    return agpu_finish_map(context, resource, type, hr);
}

HRESULT agpu_dynamic_resource_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                          uint32_t index, uint32_t type, uint32_t flags,
                                          D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    return agpu_resource_map(device, resource, index, D3D10_DDI_MAP_WRITE_DISCARD, flags, out);
}

uint32_t agpu_resource_is_staging_busy(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    const struct agpu_resource *resource = resource_handle.pDrvPrivate;

    agpu_traced(handle, "ResourceIsStagingBusy");
    if (context == NULL || resource == NULL) {
        return 0;
    }
    /* Who asks again and again must see an end, as with a map that does not wait (umd.md 6.3). */
    if (resource->pending_link != NULL) {
        HRESULT hr = agpu_submit(context->device, NULL);

        if (FAILED(hr)) {
            agpu_set_error(context, hr);
        }
    }
    return agpu_wait_fence(context->device, resource->last_gpu_write_fence, true) ==
           DXGI_ERROR_WAS_STILL_DRAWING;
}
