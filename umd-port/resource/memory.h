/* memory.h: the memory of a resource: kernel allocation, CPU access to it, and the CPU shadow (umd.md 3.2, 5.3, 5.4,
 * 6.4). */
#ifndef AGPU_UMD_RESOURCE_MEMORY_H
#define AGPU_UMD_RESOURCE_MEMORY_H

#include <string.h>

#include "umd-port/base/device.h"

/* Location of a new resource's bytes. */
enum agpu_backing {
    AGPU_BACKED_BY_DEVICE,          /* no allocation: host-owned, shadow only */
    AGPU_BACKED_BY_DEVICE_LOCKABLE, /* host-owned, with an allocation that the application maps */
    AGPU_BACKED_BY_GUEST,           /* the allocation is the resource's memory */
};

enum agpu_backing agpu_choose_backing(const struct agpu_device *device, const struct agpu_resource *resource,
                                      bool primary);

/* Parameters of an allocation. */
struct agpu_allocation_request {
    uint64_t bytes;
    uint32_t row_pitch; /* 0 for buffers */
    bool primary;
    uint32_t source; /* primaries: video present source */
    enum agpu_backing backing;
};

/* Calls AllocateCb with private data v2, checks the results and stores them: handles, alloc_id, token, and for textures
 * the layout rebuilt with the kernel's pitch. A failure leaves nothing allocated (umd.md 5.4). */
HRESULT agpu_allocate(struct agpu_device *device, struct agpu_resource *resource,
                      const struct agpu_allocation_request *request);
/* Calls DeallocateCb; harmless without an allocation. */
HRESULT agpu_deallocate(struct agpu_device *device, struct agpu_resource *resource);

/* Creates a zeroed shadow of the resource's size; keeps an existing one. False: out of memory. */
bool agpu_make_shadow(struct agpu_device *device, struct agpu_resource *resource);
/* Frees the shadow, also after the device is gone. */
void agpu_free_shadow(struct agpu_resource *resource);

/* Returns the lock flags of a map type (umd.md 1.3). */
static inline D3DDDICB_LOCKFLAGS agpu_lock_flags(uint32_t map_type, bool poll)
{
    static const D3DDDICB_LOCKFLAGS of_type[] = {
        [D3D10_DDI_MAP_READ] = {.ReadOnly = 1},
        [D3D10_DDI_MAP_WRITE] = {.WriteOnly = 1},
        [D3D10_DDI_MAP_WRITE_DISCARD] = {.WriteOnly = 1, .Discard = 1},
        [D3D10_DDI_MAP_WRITE_NOOVERWRITE] = {.WriteOnly = 1,
                                             .IgnoreSync = 1}, /* the kit has no NoOverwrite bit */
    };
    D3DDDICB_LOCKFLAGS flags = of_type[map_type];

    flags.DonotWait = poll;
    return flags;
}

/* Slow part of agpu_lock(): every result but success on the requested instance. */
HRESULT agpu_lock_other(struct agpu_device *device, struct agpu_resource *resource, const D3DDDICB_LOCK *lock,
                        HRESULT hr);

/* Calls LockCb for a map type; on success lock->pData is the start of the allocation. DXGI_ERROR_WAS_STILL_DRAWING when
 * busy, with poll also when it would have to wait. The returned instance replaces the resource's handle. E_FAIL without
 * an allocation or callbacks. */
static inline HRESULT agpu_lock(struct agpu_device *device, struct agpu_resource *resource, uint32_t map_type,
                                bool poll, D3DDDICB_LOCK *lock)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;

    if (!resource->alloc_handle || callbacks->pfnLockCb == NULL || callbacks->pfnUnlockCb == NULL) {
        return E_FAIL;
    }
    *lock = (D3DDDICB_LOCK){.hAllocation = resource->alloc_handle, .Flags = agpu_lock_flags(map_type, poll)};
    HRESULT hr = callbacks->pfnLockCb(device->runtime.handle, lock);
    if (hr == S_OK && lock->hAllocation == resource->alloc_handle && lock->pData != NULL) {
        return S_OK;
    }
    return agpu_lock_other(device, resource, lock, hr);
}

static inline HRESULT agpu_unlock(struct agpu_device *device, const struct agpu_resource *resource)
{
    const D3DDDICB_UNLOCK unlock = {.NumAllocations = 1, .phAllocations = &resource->alloc_handle};

    return device->callbacks->pfnUnlockCb != NULL
               ? device->callbacks->pfnUnlockCb(device->runtime.handle, &unlock)
               : E_FAIL;
}

/* Ends the mapping, if there is one: frees the copy that Map may have returned, and unlocks. Returns the result of the
 * unlock. device NULL: the device and its locks are gone. */
static inline HRESULT agpu_end_mapping(struct agpu_device *device, struct agpu_resource *resource)
{
    struct agpu_mapping *map = &resource->map;

    if (!map->active) {
        return S_OK;
    }
    map->active = false;
    if (map->target != NULL) {
        resource->env->heap_free(resource->env->ctx, map->data);
    }
    return map->locked && device != NULL ? agpu_unlock(device, resource) : S_OK;
}

/* CPU access to a whole resource for the driver's own copies: the shadow of host-owned ones, else a lock. */
struct agpu_cpu_view {
    uint8_t *data; /* start of the resource */
    bool locked;
};
HRESULT agpu_cpu_open(struct agpu_device *device, struct agpu_resource *resource, uint32_t map_type,
                      struct agpu_cpu_view *view);
void agpu_cpu_close(struct agpu_device *device, struct agpu_resource *resource, struct agpu_cpu_view *view);

/* Copies rows; when fill is set, zeroes the rest of each destination row up to dst_pitch. */
void agpu_copy_rows(uint8_t *dst, uint32_t dst_pitch, const uint8_t *src, uint32_t src_pitch,
                    uint32_t row_bytes, uint32_t rows, bool fill);
/* Copies a region between two memories: in one piece if their pitches are equal, else row by row. */
static inline void agpu_copy_region(uint8_t *dst, uint32_t dst_pitch, const uint8_t *src, uint32_t src_pitch,
                                    const struct agpu_subresource *region)
{
    if (dst_pitch == src_pitch) {
        memcpy(dst, src, (size_t)region->bytes);
    } else {
        agpu_copy_rows(dst, dst_pitch, src, src_pitch, region->row_bytes, region->rows, true);
    }
}

#endif
