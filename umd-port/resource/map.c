/* map.c: Map: checks, synchronisation, and the memory for the application (umd.md 6.1 to 6.4). */
#include "umd-port/resource/map.h"

#include <string.h>

#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/base/track.h"
#include "umd-port/base/wait.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/memory.h"

#define IA_BIND       (D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER)
#define CONSTANT_BIND D3D10_DDI_BIND_CONSTANT_BUFFER

/* Parameters of a function table entry. */
struct map_call {
    const char *entry;
    uint32_t type;  /* D3D10_DDI_MAP */
    uint32_t binds; /* maps only buffers with one of these bind flags; 0: maps any resource */
    bool staging;   /* the entry for staging resources, with its own order of checks */
};

/* Compiled into each entry. Most entries fix map type and kind of resource, which halves the cost. */
#define PER_ENTRY static inline __attribute__((always_inline))

static bool type_reads(uint32_t type)
{
    return type == D3D10_DDI_MAP_READ || type == D3D10_DDI_MAP_READWRITE;
}

static bool type_writes(uint32_t type)
{
    return type != D3D10_DDI_MAP_READ;
}

/* Checks the map type against usage, then against CPU access (umd.md 6.2). */
PER_ENTRY bool type_allowed(const struct agpu_resource *resource, uint32_t type)
{
    uint32_t cpu = resource->cpu_access;

    switch (resource->usage) {
    case D3D10_DDI_USAGE_DYNAMIC:
        return (type == D3D10_DDI_MAP_WRITE_DISCARD || type == D3D10_DDI_MAP_WRITE_NOOVERWRITE) &&
               (cpu & D3D10_DDI_CPU_ACCESS_WRITE);
    case D3D10_DDI_USAGE_STAGING:
        return type >= D3D10_DDI_MAP_READ && type <= D3D10_DDI_MAP_READWRITE &&
               (!type_reads(type) || (cpu & D3D10_DDI_CPU_ACCESS_READ)) &&
               (!type_writes(type) || (cpu & D3D10_DDI_CPU_ACCESS_WRITE));
    default:
        return false;
    }
}

/* Returns the region to map, in the resource's own layout; a buffer has no rows. */
PER_ENTRY bool find_map_region(const struct agpu_resource *resource, uint32_t index,
                               struct agpu_subresource *region)
{
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        return agpu_layout_subresource(&resource->layout, index, region);
    }
    *region = (struct agpu_subresource){.bytes = resource->bytes};
    return resource->kind == AGPU_KIND_BUFFER && index == 0 && resource->byte_width;
}

/* True when the rules of the entries for dynamic buffers apply. They also apply to the generic Map of such buffers
 * (umd.md 6.2). */
static bool is_dynamic_call(const struct agpu_resource *resource, const struct map_call *call)
{
    return call->binds ||
           (call->type == D3D10_DDI_MAP_WRITE_DISCARD &&
            (resource->bind_flags & (IA_BIND | CONSTANT_BIND))) ||
           (call->type == D3D10_DDI_MAP_WRITE_NOOVERWRITE && (resource->bind_flags & IA_BIND));
}

/* True when the call accepts this kind of resource. */
PER_ENTRY bool resource_fits(const struct agpu_resource *resource, const struct map_call *call)
{
    if (resource->kind == AGPU_KIND_BUFFER) {
        return !call->binds || (resource->bind_flags & call->binds);
    }
    return !is_dynamic_call(resource, call);
}

/* Checks all arguments; *region is the region to map. */
PER_ENTRY bool check_arguments(const struct agpu_resource *resource, uint32_t index,
                               const struct map_call *call, uint32_t flags, struct agpu_subresource *region)
{
    return resource_fits(resource, call) && !(flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT) &&
           find_map_region(resource, index, region) && type_allowed(resource, call->type);
}

/* Returns the result of a refused call: E_FAIL for a mapped resource, E_INVALIDARG for a wrong argument. There are
 * three documented orders of these checks (umd.md 6.1). */
static __attribute__((cold, noinline)) HRESULT refusal(const struct agpu_device *device,
                                                       const struct agpu_resource *resource,
                                                       const struct map_call *call, uint32_t flags,
                                                       const void *out, bool good)
{
    bool flags_first = !call->staging && agpu_mode(device) != AGPU_BACKING_WDK;
    bool arguments_first = out == NULL || !resource_fits(resource, call) || is_dynamic_call(resource, call) ||
                           (flags_first && (flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT));

    return resource->map.active && (good || !arguments_first) ? E_FAIL : E_INVALIDARG;
}

/* Waits as the map type requires (umd.md 6.3). */
PER_ENTRY HRESULT synchronise_map(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                                  bool poll)
{
    if (type_reads(type)) {
        HRESULT hr = agpu_submit(device, NULL); /* also for a poll: a later retry can then succeed */

        return SUCCEEDED(hr) && resource->last_gpu_write_fence
                   ? agpu_wait_fence(device, resource->last_gpu_write_fence, poll)
                   : hr;
    }
    /* The kernel does not know recorded, unsubmitted commands. They must be submitted before a lock that waits, or that
     * renames the instance which they name (vidmm.md 4.3, 4.4). */
    if (agpu_is_guest_backed(resource) && type != D3D10_DDI_MAP_WRITE_NOOVERWRITE &&
        agpu_is_referenced(device, resource) && agpu_mode(device) == AGPU_BACKING_WDK) {
        return agpu_submit(device, NULL);
    }
    return S_OK;
}

/* Callers in WDK mode rely on 16-byte alignment, but packed mips may start anywhere, so the application gets an aligned
 * copy of those. The other modes return the memory itself. */
static __attribute__((cold, noinline)) HRESULT hand_out_copy(struct agpu_device *device,
                                                             struct agpu_resource *resource)
{
    struct agpu_mapping *map = &resource->map;

    if (agpu_mode(device) != AGPU_BACKING_WDK) {
        return S_OK;
    }
    uint8_t *copy = device->env->heap_alloc(device->env->ctx, (size_t)map->bytes);

    if (copy == NULL) {
        return E_OUTOFMEMORY;
    }
    memcpy(copy, map->data, (size_t)map->bytes);
    map->target = map->data;
    map->data = copy;
    resource->env = device->env;
    return S_OK;
}

/* Locks the resource's allocation, if possible, and returns its memory; otherwise host-owned resources return their
 * shadow (umd.md 6.4). On failure the caller ends the mapping. */
PER_ENTRY HRESULT open_mapping(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                               const struct agpu_subresource *region, uint32_t type, bool poll)
{
    struct agpu_mapping *map = &resource->map;
    bool guest = agpu_is_guest_backed(resource);
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_lock(device, resource, type, poll, &lock);

    if (FAILED(hr) && guest) {
        return hr;
    }
    map->active = true;
    map->locked = SUCCEEDED(hr);
    map->type = type;
    map->subresource = index;
    map->pitch = region->pitch;
    map->bytes = region->bytes;
    map->target = NULL;
    map->region = *region;
    if (!map->locked) {
        map->data = resource->shadow + region->offset;
    } else {
        map->data = (uint8_t *)lock.pData + region->offset;
        if (lock.Pitch && region->row_bytes && agpu_mode(device) == AGPU_BACKING_WDK) {
            if (lock.Pitch < region->row_bytes) {
                return E_INVALIDARG;
            }
            if (!guest && region->mip == 0) { /* guest memory has the protocol's pitch (umd.md 17) */
                map->pitch = lock.Pitch;
                map->bytes = (uint64_t)lock.Pitch * region->rows;
            }
        }
    }
    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        memset(map->data, 0, (size_t)map->bytes);
    } else if (map->locked && !guest) { /* the shadow has the device's contents */
        agpu_copy_region(map->data, map->pitch, resource->shadow + region->offset, region->pitch, region);
    }
    if (guest && resource->usage == D3D10_DDI_USAGE_STAGING && type_writes(type) &&
        agpu_mode(device) == AGPU_BACKING_WDK) {
        /* If Unmap fails to record, it restores the device's bytes from this shadow. */
        if (!agpu_make_shadow(device, resource)) {
            return E_OUTOFMEMORY;
        }
        memcpy(resource->shadow + region->offset, map->data, (size_t)map->bytes);
    }
    return (uintptr_t)map->data & 15 ? hand_out_copy(device, resource) : S_OK;
}

/* Common part of all Map entries. */
PER_ENTRY void map_resource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                            const struct map_call *call, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL || resource == NULL) {
        agpu_report(context, E_INVALIDARG);
        return;
    }
    struct agpu_device *device = context->device;
    struct agpu_mapping *map = &resource->map;
    bool poll = (flags & D3D10_DDI_MAP_FLAG_DONOTWAIT) != 0;
    struct agpu_subresource region;
    bool good = out != NULL && check_arguments(resource, index, call, flags, &region);
    HRESULT hr = good && !map->active ? synchronise_map(device, resource, call->type, poll)
                                      : refusal(device, resource, call, flags, out, good);
    if (SUCCEEDED(hr)) {
        hr = open_mapping(device, resource, index, &region, call->type, poll);
        if (FAILED(hr)) {
            agpu_end_mapping(device, resource);
        } else {
            out->pData = map->data;
            out->RowPitch = map->pitch;
            out->DepthPitch = map->pitch ? (uint32_t)map->bytes : 0;
        }
    }
    AGPU_TRACE_CALL(context, "%s handle=%u type=%u -> hr=0x%X", call->entry, resource->handle, call->type,
                    (unsigned)hr);
    agpu_report(context, hr);
}

void agpu_resource_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index, uint32_t type,
                       uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    const struct map_call call = {.entry = "ResourceMap", .type = type};

    map_resource(device, resource, index, &call, flags, out);
}

void agpu_staging_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index, uint32_t type,
                      uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    const struct map_call call = {.entry = "StagingResourceMap", .type = type, .staging = true};

    map_resource(device, resource, index, &call, flags, out);
}

void agpu_dynamic_ia_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                 uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    static const struct map_call call = {"DynamicIABufferMapDiscard", D3D10_DDI_MAP_WRITE_DISCARD, IA_BIND,
                                         false};

    (void)type;
    map_resource(device, resource, index, &call, flags, out);
}

void agpu_dynamic_ia_map_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                      uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    static const struct map_call call = {"DynamicIABufferMapNoOverwrite", D3D10_DDI_MAP_WRITE_NOOVERWRITE,
                                         IA_BIND, false};

    (void)type;
    map_resource(device, resource, index, &call, flags, out);
}

void agpu_dynamic_cb_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                 uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    static const struct map_call call = {"DynamicConstantBufferMapDiscard", D3D10_DDI_MAP_WRITE_DISCARD,
                                         CONSTANT_BIND, false};

    (void)type;
    map_resource(device, resource, index, &call, flags, out);
}

void agpu_dynamic_cb_map_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                      uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    static const struct map_call call = {"DynamicConstantBufferMapNoOverwrite",
                                         D3D10_DDI_MAP_WRITE_NOOVERWRITE, CONSTANT_BIND, false};

    (void)type;
    map_resource(device, resource, index, &call, flags, out);
}

void agpu_dynamic_resource_map_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                       uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    static const struct map_call call = {"DynamicResourceMapDiscard", D3D10_DDI_MAP_WRITE_DISCARD, 0, false};

    (void)type;
    map_resource(device, resource, index, &call, flags, out);
}

uint32_t agpu_resource_is_staging_busy(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    const struct agpu_resource *resource = resource_handle.pDrvPrivate;

    agpu_traced(handle, "ResourceIsStagingBusy");
    if (context == NULL || resource == NULL) {
        return 0;
    }
    /* Submit, so that repeated calls see completion, as with a map that does not wait (umd.md 6.3). */
    if (resource->pending_link != NULL) {
        HRESULT hr = agpu_submit(context->device, NULL);

        if (FAILED(hr)) {
            agpu_set_error(context, hr);
        }
    }
    return agpu_wait_fence(context->device, resource->last_gpu_write_fence, true) ==
           DXGI_ERROR_WAS_STILL_DRAWING;
}
