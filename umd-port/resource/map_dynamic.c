/* map_dynamic.c: discard and no-overwrite maps of dynamic buffers, what applications map most (umd.md 6.2):
 * one test decides whether a call is fine, and a host-owned buffer needs no more than a lock. */
#include <string.h>

#include "umd-port/resource/mapping.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/resource_ddi.h"

/* Made anew for each map type, which is known then. */
#define PER_TYPE static inline __attribute__((always_inline))

#define IA_BIND       (D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER)
#define CONSTANT_BIND D3D10_DDI_BIND_CONSTANT_BUFFER

/* What is wrong with a call, in the documented order of the checks. */
static __attribute__((cold, noinline)) HRESULT refusal(const struct agpu_resource *resource, uint32_t index,
                                                       uint32_t bind, uint32_t flags, const void *out)
{
    bool fits = (resource->bind_flags & bind) && out && resource->kind == AGPU_KIND_BUFFER && !index &&
                !(flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT);
    return fits && resource->map.active ? E_FAIL : E_INVALIDARG;
}

static __attribute__((noinline)) HRESULT map_guest_buffer(struct agpu_device *device,
                                                          struct agpu_resource *resource, uint32_t type,
                                                          uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    const struct agpu_subresource whole = {.bytes = resource->bytes, .rows = 1};
    return agpu_map_region(device, resource, 0, &whole, type, flags, out);
}

/* The application sees the allocation's memory where there is one, and the shadow, which is what the device
 * has, whenever that cannot be had (umd.md 6.4). */
PER_TYPE HRESULT map_host_buffer(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                                 uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_locked locked = {.data = NULL};
    if (resource->alloc_handle) {
        D3DDDICB_LOCKFLAGS lock_flags = agpu_lock_flags(type);
        if (flags)
            lock_flags.DonotWait = 1;
        if (FAILED(agpu_lock(device, resource, lock_flags, &locked)))
            locked.data = NULL;
    }
    uint8_t *data = locked.data ? locked.data : resource->shadow;
    const size_t bytes = (size_t)resource->bytes;
    if (type == D3D10_DDI_MAP_WRITE_DISCARD)
        memset(data, 0, bytes);
    else if (locked.data)
        memcpy(data, resource->shadow, bytes);
    resource->map = (struct agpu_mapping){
        .active = 1,
        .writes = 1,
        .locked = locked.data != NULL,
        .type = (uint8_t)type,
        .bytes = bytes,
        .data = data,
    };
    if (__builtin_expect((uintptr_t)data & 15, 0) && agpu_mode(device) == AGPU_BACKING_WDK) {
        HRESULT hr = agpu_map_copy(device, resource);
        if (FAILED(hr))
            return agpu_undo_map(device, resource, hr);
        data = resource->map.data;
    }
    *out = (D3D10DDI_MAPPED_SUBRESOURCE){.pData = data};
    return S_OK;
}

PER_TYPE HRESULT map_dynamic(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                             uint32_t bind, uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    bool fine = (resource->dynamic_binds & bind) && !(index | (flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT)) &&
                out && !resource->map.active;
    if (__builtin_expect(!fine, 0))
        return refusal(resource, index, bind, flags, out);
    if (agpu_is_guest_backed(resource))
        return map_guest_buffer(device, resource, type, flags, out);
    return map_host_buffer(device, resource, type, flags, out);
}

HRESULT agpu_map_dynamic_discard(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                                 uint32_t bind, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return map_dynamic(device, resource, index, bind, D3D10_DDI_MAP_WRITE_DISCARD, flags, out);
}

HRESULT agpu_map_dynamic_no_overwrite(struct agpu_device *device, struct agpu_resource *resource,
                                      uint32_t index, uint32_t bind, uint32_t flags,
                                      D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return map_dynamic(device, resource, index, bind, D3D10_DDI_MAP_WRITE_NOOVERWRITE, flags, out);
}

/* The entry points; their type argument says nothing new. */
#define ENTRY(name, bind, type)                                                                              \
    HRESULT name(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,                \
                 uint32_t map_type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)                        \
    {                                                                                                        \
        struct agpu_context *context = agpu_context_of(handle);                                              \
        struct agpu_resource *resource = resource_handle.pDrvPrivate;                                        \
        (void)map_type;                                                                                      \
        if (!context || !resource)                                                                           \
            return E_INVALIDARG;                                                                             \
        return agpu_finish_map(context, resource, type,                                                      \
                               map_dynamic(context->device, resource, index, bind, type, flags, out));       \
    }
ENTRY(agpu_dynamic_ia_map_discard, IA_BIND, D3D10_DDI_MAP_WRITE_DISCARD)
ENTRY(agpu_dynamic_ia_map_no_overwrite, IA_BIND, D3D10_DDI_MAP_WRITE_NOOVERWRITE)
ENTRY(agpu_dynamic_cb_map_discard, CONSTANT_BIND, D3D10_DDI_MAP_WRITE_DISCARD)
ENTRY(agpu_dynamic_cb_map_no_overwrite, CONSTANT_BIND, D3D10_DDI_MAP_WRITE_NOOVERWRITE)
