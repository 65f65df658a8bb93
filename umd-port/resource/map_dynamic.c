/* map_dynamic.c: discard and no-overwrite maps of dynamic buffers, what applications map most (umd.md 6.2): a
 * small host-owned buffer needs one test and a lock; everything else goes the general way. */
#include "umd-port/resource/blocks.h"
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
    bool fits = (resource->bind_flags & bind) && out != NULL && resource->kind == AGPU_KIND_BUFFER &&
                !index && !(flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT);

    return fits && resource->map.active ? E_FAIL : E_INVALIDARG;
}

static HRESULT map_checked(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                           uint32_t bind, uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    bool fine = (resource->dynamic_binds & bind) && !index && !(flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT) &&
                out != NULL && !resource->map.active;

    if (!fine) {
        return refusal(resource, index, bind, flags, out);
    }
    const struct agpu_subresource whole = {.bytes = resource->bytes, .rows = 1};
    return agpu_map_region(device, resource, 0, &whole, type, flags, out);
}

/* WDK callers rely on 16-byte alignment (umd.md 6.4). */
static __attribute__((cold, noinline)) HRESULT hand_out_misaligned(struct agpu_device *device,
                                                                   struct agpu_resource *resource,
                                                                   D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_mapping *map = &resource->map;

    if (agpu_mode(device) == AGPU_BACKING_WDK) {
        map->plain = 0;
        map->offset = 0;
        map->bytes = resource->bytes;
        HRESULT hr = agpu_map_copy(device, resource);
        if (FAILED(hr)) {
            return agpu_undo_map(device, resource, hr);
        }
    }
    *out = (D3D10DDI_MAPPED_SUBRESOURCE){.pData = map->data};
    return S_OK;
}

/* Hands out data, which is the allocation if locked, else the shadow. */
PER_TYPE HRESULT hand_out(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                          uint8_t *data, bool locked, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        agpu_zero_blocks(data, (size_t)resource->bytes);
    } else if (locked) {
        agpu_copy_blocks(data, resource->shadow, (size_t)resource->bytes);
    }
    struct agpu_mapping *map = &resource->map;
    map->active = map->writes = map->plain = 1;
    map->locked = locked;
    map->type = type;
    map->subresource = map->pitch = 0;
    map->data = data;
    map->target = NULL;
    if (__builtin_expect((uintptr_t)data & 15, 0)) {
        return hand_out_misaligned(device, resource, out);
    }
    out->pData = data;
    out->RowPitch = out->DepthPitch = 0;
    return S_OK;
}

/* A quick buffer that nothing refuses: the application sees the allocation's memory where there is one, and
 * the shadow, which is what the device has, whenever that cannot be had (umd.md 6.4). */
PER_TYPE HRESULT map_quick(struct agpu_device *device, struct agpu_resource *resource, uint32_t type,
                           D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    D3DDDICB_LOCK lock;

    if (resource->alloc_handle && SUCCEEDED(agpu_lock(device, resource, agpu_lock_flags(type), &lock))) {
        return hand_out(device, resource, type, lock.pData, true, out);
    }
    return hand_out(device, resource, type, resource->shadow, false, out);
}

HRESULT agpu_map_dynamic(struct agpu_context *context, struct agpu_resource *resource, uint32_t index,
                         uint32_t bind, uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return agpu_finish_map(context, resource, type,
                           map_checked(context->device, resource, index, bind, type, flags, out));
}

PER_TYPE HRESULT map_dynamic(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                             uint32_t bind, uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL || resource == NULL) {
        return E_INVALIDARG;
    }
    struct agpu_device *device = context->device;
    bool quick = (resource->quick_binds & bind) && !(index | flags) && out != NULL && !resource->map.active &&
                 !AGPU_TRACES(device->env, AGPU_TRACE_CALLS);
    if (__builtin_expect(quick, 1)) {
        return map_quick(device, resource, type, out);
    }
    return agpu_map_dynamic(context, resource, index, bind, type, flags, out);
}

/* The entry points; their type argument says nothing new. */
#define ENTRY(name, bind, type)                                                                              \
    HRESULT name(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index, uint32_t map_type,    \
                 uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)                                           \
    {                                                                                                        \
        (void)map_type;                                                                                      \
        return map_dynamic(device, resource, index, bind, type, flags, out);                                 \
    }
ENTRY(agpu_dynamic_ia_map_discard, IA_BIND, D3D10_DDI_MAP_WRITE_DISCARD)
ENTRY(agpu_dynamic_ia_map_no_overwrite, IA_BIND, D3D10_DDI_MAP_WRITE_NOOVERWRITE)
ENTRY(agpu_dynamic_cb_map_discard, CONSTANT_BIND, D3D10_DDI_MAP_WRITE_DISCARD)
ENTRY(agpu_dynamic_cb_map_no_overwrite, CONSTANT_BIND, D3D10_DDI_MAP_WRITE_NOOVERWRITE)
