/* map.c: Map: checks, the general way, and the quick way of dynamic buffers (umd.md 6.1 to 6.4). */
#include "umd-port/resource/map.h"

#include <string.h>

#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/track.h"
#include "umd-port/base/wait.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/blocks.h"
#include "umd-port/resource/memory.h"

#define IA_BIND       (D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER)
#define CONSTANT_BIND D3D10_DDI_BIND_CONSTANT_BUFFER

static bool type_reads(uint32_t type)
{
    return type == D3D10_DDI_MAP_READ || type == D3D10_DDI_MAP_READWRITE;
}

static bool type_writes(uint32_t type)
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
        return type <= D3D10_DDI_MAP_READWRITE && (!type_reads(type) || (cpu & D3D10_DDI_CPU_ACCESS_READ)) &&
               (!type_writes(type) || (cpu & D3D10_DDI_CPU_ACCESS_WRITE));
    default:
        return false;
    }
}

/* What is being mapped, in the resource's own layout. */
static bool find_map_region(const struct agpu_resource *resource, uint32_t index,
                            struct agpu_subresource *region)
{
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        return agpu_layout_subresource(&resource->layout, index, region);
    }
    *region = (struct agpu_subresource){.bytes = resource->bytes, .rows = 1};
    return resource->kind == AGPU_KIND_BUFFER && index == 0 && resource->byte_width;
}

static HRESULT submit_and_wait_for_writes(struct agpu_device *device, const struct agpu_resource *resource,
                                          bool poll)
{
    HRESULT hr = agpu_submit(device, NULL); /* also for a poll: a later retry can then succeed */

    if (FAILED(hr)) {
        return hr;
    }
    uint64_t fence = resource->last_gpu_write_fence;
    return fence ? agpu_wait_fence(device, fence, poll) : S_OK;
}

/* Waits as the type demands (umd.md 6.3). */
static HRESULT synchronise_map(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                               bool poll)
{
    if (type_reads(type)) {
        return submit_and_wait_for_writes(device, resource, poll);
    }
    /* The kernel cannot see commands that are still recorded here: a lock that waits, or that renames the
     * instance they name, has to find them submitted (vidmm.md 4.3, 4.4). */
    if (agpu_is_guest_backed(resource) && type != D3D10_DDI_MAP_WRITE_NOOVERWRITE &&
        agpu_is_referenced(device, resource) && agpu_mode(device) == AGPU_BACKING_WDK) {
        return agpu_submit(device, NULL);
    }
    return S_OK;
}

/* Ends a mapping that was never handed out; returns hr. */
static HRESULT undo_map(struct agpu_device *device, struct agpu_resource *resource, HRESULT hr)
{
    if (agpu_mapping_is_locked(&resource->map)) {
        agpu_unlock(device, resource);
    }
    resource->map = (struct agpu_mapping){0};
    return hr;
}

/* Hands out a 16-byte aligned copy of what is mapped instead of map.data. E_OUTOFMEMORY: nothing changed. */
static HRESULT map_copy(struct agpu_device *device, struct agpu_resource *resource)
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
    resource->env = device->env;
    return S_OK;
}

/* WDK callers rely on 16-byte alignment; packed mips may start anywhere. A misaligned one is handed out as a
 * copy. */
static HRESULT align_pointer(struct agpu_device *device, struct agpu_resource *resource)
{
    if (!((uintptr_t)resource->map.data & 15) || agpu_mode(device) != AGPU_BACKING_WDK) {
        return S_OK;
    }
    return map_copy(device, resource);
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

/* Guest-backed: the allocation itself. The protocol's pitch is used, not the one of the lock (umd.md 17). */
static HRESULT map_guest(struct agpu_device *device, struct agpu_resource *resource,
                         const struct agpu_subresource *region, D3DDDICB_LOCKFLAGS flags)
{
    struct agpu_mapping *map = &resource->map;
    const D3DDDICB_LOCK *lock = &resource->lock;

    resource->lock.Pitch = 0; /* unless the callback says another */
    HRESULT hr = agpu_lock(device, resource, flags);
    if (FAILED(hr)) {
        return hr;
    }
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;
    map->locked = 1;
    if (wdk && lock->Pitch && lock->Pitch < region->row_bytes) {
        return undo_map(device, resource, E_INVALIDARG);
    }
    map->data = (uint8_t *)lock->pData + resource->alloc_offset + region->offset;
    if (map->type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(map->data, 0, (size_t)region->bytes);
    }
    /* Unmap may fail to record: then it restores the bytes that the device has. */
    if (wdk && resource->usage == D3D10_DDI_USAGE_STAGING && map->writes) {
        if (!agpu_make_shadow(device, resource)) {
            return undo_map(device, resource, E_OUTOFMEMORY);
        }
        memcpy(resource->shadow + region->offset, map->data, (size_t)map->bytes);
    }
    hr = align_pointer(device, resource);
    return FAILED(hr) ? undo_map(device, resource, hr) : hr;
}

/* Host-owned with an allocation: its memory is what the application sees, the shadow is what was uploaded.
 * Every way of not getting the memory falls back to the shadow (umd.md 6.4). */
static HRESULT map_lockable(struct agpu_device *device, struct agpu_resource *resource,
                            const struct agpu_subresource *region, uint32_t type, D3DDDICB_LOCKFLAGS flags)
{
    struct agpu_mapping *map = &resource->map;
    const D3DDDICB_LOCK *lock = &resource->lock;

    resource->lock.Pitch = 0; /* unless the callback says another */
    if (FAILED(agpu_lock(device, resource, flags))) {
        return map_shadow(device, resource, region);
    }
    map->locked = 1;
    if (region->row_bytes && region->mip == 0 && lock->Pitch) {
        if (lock->Pitch < region->row_bytes) {
            return undo_map(device, resource, E_INVALIDARG);
        }
        map->pitch = lock->Pitch;
        map->bytes = (uint64_t)lock->Pitch * region->rows;
    }
    map->data = (uint8_t *)lock->pData + region->offset;
    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(map->data, 0, (size_t)map->bytes);
    } else if (region->row_bytes) {
        agpu_copy_rows(map->data, map->pitch, resource->shadow + region->offset, region->pitch,
                       region->row_bytes, region->rows, false);
    } else {
        memcpy(map->data, resource->shadow, (size_t)map->bytes);
    }
    HRESULT hr = align_pointer(device, resource);
    return FAILED(hr) ? undo_map(device, resource, hr) : hr;
}

/* All checks passed: synchronises, and hands out the memory of one subresource, or of a whole buffer as one row
 * without a pitch. Failures leave no mapping. */
static HRESULT map_region(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                          const struct agpu_subresource *region, uint32_t type, uint32_t flags,
                          D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    bool poll = (flags & D3D10_DDI_MAP_FLAG_DONOTWAIT) != 0;
    HRESULT hr = synchronise_map(device, resource, type, poll);

    if (FAILED(hr)) {
        return hr;
    }
    D3DDDICB_LOCKFLAGS lock_flags = agpu_lock_flags(type);
    lock_flags.DonotWait = poll;
    struct agpu_mapping *map = &resource->map;
    *map = (struct agpu_mapping){
        .type = (uint8_t)type,
        .writes = type_writes(type),
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
        *map = (struct agpu_mapping){0};
        return hr;
    }
    map->active = AGPU_MAPPED;
    out->pData = map->data;
    out->RowPitch = map->pitch;
    out->DepthPitch = map->pitch ? (uint32_t)map->bytes : 0;
    return S_OK;
}

/* The general order. flags_first: the portable reference's generic Map looks at the flags before the
 * mapping. */
static HRESULT map_general(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
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
    if (!find_map_region(resource, index, &region) || bad_flags || type < D3D10_DDI_MAP_READ ||
        type > D3D10_DDI_MAP_WRITE_NOOVERWRITE || !type_allowed(resource, type)) {
        return E_INVALIDARG;
    }
    return map_region(device, resource, index, &region, type, flags, out);
}

/* What is wrong with a call, in the documented order of the checks. */
static __attribute__((cold, noinline)) HRESULT dynamic_refusal(const struct agpu_resource *resource,
                                                               uint32_t index, uint32_t bind, uint32_t flags,
                                                               const void *out)
{
    bool fits = (resource->bind_flags & bind) && out != NULL && resource->kind == AGPU_KIND_BUFFER &&
                !index && !(flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT);

    return fits && resource->map.active ? E_FAIL : E_INVALIDARG;
}

static HRESULT map_dynamic_buffer(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                                  uint32_t bind, uint32_t type, uint32_t flags,
                                  D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    bool fine = (resource->dynamic_binds & bind) && !index && !(flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT) &&
                out != NULL && !resource->map.active;

    if (!fine) {
        return dynamic_refusal(resource, index, bind, flags, out);
    }
    const struct agpu_subresource whole = {.bytes = resource->bytes, .rows = 1};
    return map_region(device, resource, 0, &whole, type, flags, out);
}

/* Failures in WDK mode go to SetErrorCb as well, except being busy. */
static __attribute__((cold, noinline)) void report_map(struct agpu_context *context, HRESULT hr)
{
    if (hr != DXGI_ERROR_WAS_STILL_DRAWING && agpu_mode(context->device) == AGPU_BACKING_WDK) {
        agpu_set_error(context, hr);
    }
}

/* Every Map entry that is not quick ends here. */
static HRESULT finish_map(struct agpu_context *context, const struct agpu_resource *resource, uint32_t type,
                          const char *entry, HRESULT hr)
{
    AGPU_TRACE_CALL(context, "%s handle=%u type=%u -> hr=0x%X", entry, resource->handle, type, (unsigned)hr);
    if (__builtin_expect(FAILED(hr), 0)) {
        report_map(context, hr);
    }
    return hr;
}

/* What an entry point for dynamic buffers maps. */
struct map_entry {
    uint32_t bind; /* the buffer has one of these flags */
    uint32_t type;
    const char *name;
};

/* Made anew for each map type, which is known then. */
#define PER_TYPE static inline __attribute__((always_inline))

/* The quick way: what applications map most is small host-owned dynamic buffers, for which one test and a lock
 * are enough. */

/* WDK callers rely on 16-byte alignment (umd.md 6.4). */
static __attribute__((cold, noinline)) HRESULT hand_out_misaligned(struct agpu_device *device,
                                                                   struct agpu_resource *resource,
                                                                   uint32_t type, uint8_t *data,
                                                                   D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_mapping *map = &resource->map;

    if (agpu_mode(device) == AGPU_BACKING_WDK) {
        *map = (struct agpu_mapping){
            .active = AGPU_MAPPED,
            .writes = 1,
            .locked = map->active == AGPU_MAPPED_QUICK_LOCKED,
            .type = type,
            .bytes = resource->bytes,
            .data = data,
        };
        HRESULT hr = map_copy(device, resource);
        if (FAILED(hr)) {
            return undo_map(device, resource, hr);
        }
        data = map->data;
    }
    *out = (D3D10DDI_MAPPED_SUBRESOURCE){.pData = data};
    return S_OK;
}

/* Hands out data, which is the allocation if locked, else the shadow. */
PER_TYPE HRESULT hand_out_quick(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                                uint8_t *data, bool locked, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        agpu_zero_blocks(data, (size_t)resource->bytes);
    } else if (locked) {
        agpu_copy_blocks(data, resource->shadow, (size_t)resource->bytes);
    }
    resource->map.active = locked ? AGPU_MAPPED_QUICK_LOCKED : AGPU_MAPPED_QUICK_SHADOW;
    if (__builtin_expect((uintptr_t)data & 15, 0)) {
        return hand_out_misaligned(device, resource, type, data, out);
    }
    out->pData = data;
    out->RowPitch = out->DepthPitch = 0;
    return S_OK;
}

/* The shadow is what the device has. */
static __attribute__((noinline)) HRESULT map_quick_shadow(struct agpu_device *device,
                                                          struct agpu_resource *resource, uint32_t type,
                                                          D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return hand_out_quick(device, resource, type, resource->shadow, false, out);
}

/* A quick buffer with an allocation, and nothing refuses: the application sees the allocation's memory, and the shadow
 * whenever that cannot be had (umd.md 6.4). */
PER_TYPE HRESULT map_quick_locked(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                                  D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    HRESULT hr = agpu_lock_allocated(device, resource, agpu_lock_flags(type));

    if (__builtin_expect(FAILED(hr), 0)) {
        return map_quick_shadow(device, resource, type, out);
    }
    return hand_out_quick(device, resource, type, resource->lock.pData, true, out);
}

PER_TYPE HRESULT map_quick(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                           D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return resource->locked_binds ? map_quick_locked(device, resource, type, out)
                                  : map_quick_shadow(device, resource, type, out);
}

/* Is one test enough for a call that maps buffers with one of the bind flags? binds: quick_binds, or only locked_binds. */
PER_TYPE bool is_quick(const struct agpu_context *context, const struct agpu_resource *resource,
                       uint32_t binds, uint32_t bind, uint32_t index, uint32_t flags, const void *out)
{
    return (binds & bind) && !(index | flags) && out != NULL && !resource->map.active &&
           !AGPU_TRACES(context->options, AGPU_TRACE_CALLS);
}

/* Discard and no-overwrite of dynamic buffers: the quick way in the shadow, else the general way. */
static __attribute__((noinline)) HRESULT map_dynamic(struct agpu_context *context,
                                                     struct agpu_resource *resource, uint32_t index,
                                                     const struct map_entry *entry, uint32_t flags,
                                                     D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    if (!resource->locked_binds &&
        is_quick(context, resource, resource->quick_binds, entry->bind, index, flags, out)) {
        return map_quick_shadow(agpu_device_of(context), resource, entry->type, out);
    }
    return finish_map(
        context, resource, entry->type, entry->name,
        map_dynamic_buffer(context->device, resource, index, entry->bind, entry->type, flags, out));
}

/* The entry points, which ignore their type argument. */
#define MAP_DYNAMIC(function, bind, type, entry)                                                             \
    HRESULT function(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE handle, uint32_t index, uint32_t map_type,  \
                     uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)                                       \
    {                                                                                                        \
        static const struct map_entry general = {bind, type, entry};                                         \
        struct agpu_context *context = agpu_context_of(device);                                              \
        struct agpu_resource *resource = handle.pDrvPrivate;                                                 \
                                                                                                             \
        (void)map_type;                                                                                      \
        if (__builtin_expect(context == NULL || resource == NULL, 0)) {                                      \
            return E_INVALIDARG;                                                                             \
        }                                                                                                    \
        if (__builtin_expect(is_quick(context, resource, resource->locked_binds, bind, index, flags, out),   \
                             1)) {                                                                           \
            return map_quick_locked(agpu_device_of(context), resource, type, out);                           \
        }                                                                                                    \
        return map_dynamic(context, resource, index, &general, flags, out);                                  \
    }
MAP_DYNAMIC(agpu_dynamic_ia_map_discard, IA_BIND, D3D10_DDI_MAP_WRITE_DISCARD, "DynamicIABufferMapDiscard")
MAP_DYNAMIC(agpu_dynamic_ia_map_no_overwrite, IA_BIND, D3D10_DDI_MAP_WRITE_NOOVERWRITE,
            "DynamicIABufferMapNoOverwrite")
MAP_DYNAMIC(agpu_dynamic_cb_map_discard, CONSTANT_BIND, D3D10_DDI_MAP_WRITE_DISCARD,
            "DynamicConstantBufferMapDiscard")
MAP_DYNAMIC(agpu_dynamic_cb_map_no_overwrite, CONSTANT_BIND, D3D10_DDI_MAP_WRITE_NOOVERWRITE,
            "DynamicConstantBufferMapNoOverwrite")

static HRESULT map_resource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                            uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out,
                            const char *entry)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL || resource == NULL) {
        return E_INVALIDARG;
    }
    if (is_quick(context, resource, resource->quick_binds, IA_BIND | CONSTANT_BIND, index, flags, out)) {
        if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
            return map_quick(agpu_device_of(context), resource, D3D10_DDI_MAP_WRITE_DISCARD, out);
        }
        if (type == D3D10_DDI_MAP_WRITE_NOOVERWRITE) {
            return map_quick(agpu_device_of(context), resource, D3D10_DDI_MAP_WRITE_NOOVERWRITE, out);
        }
    }
    if (type == D3D10_DDI_MAP_WRITE_DISCARD && (resource->bind_flags & (IA_BIND | CONSTANT_BIND))) {
        const struct map_entry discard = {IA_BIND | CONSTANT_BIND, type, entry};

        return map_dynamic(context, resource, index, &discard, flags, out);
    }
    if (type == D3D10_DDI_MAP_WRITE_NOOVERWRITE && (resource->bind_flags & IA_BIND)) {
        const struct map_entry no_overwrite = {IA_BIND, type, entry};

        return map_dynamic(context, resource, index, &no_overwrite, flags, out);
    }
    struct agpu_device *device = context->device;
    bool flags_first = agpu_mode(device) != AGPU_BACKING_WDK;
    return finish_map(context, resource, type, entry,
                      map_general(device, resource, index, type, flags, flags_first, out));
}

HRESULT agpu_resource_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index, uint32_t type,
                          uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return map_resource(device, resource, index, type, flags, out, "ResourceMap");
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
                     ? map_general(context->device, resource, index, type, flags, false, out)
                     : E_INVALIDARG;
    return finish_map(context, resource, type, "StagingResourceMap", hr);
}

HRESULT agpu_dynamic_resource_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,
                                          uint32_t index, uint32_t type, uint32_t flags,
                                          D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    return map_resource(device, resource, index, D3D10_DDI_MAP_WRITE_DISCARD, flags, out,
                        "DynamicResourceMapDiscard");
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
