/* memory.h: the memory behind a resource: kernel allocation, CPU access to it, and the CPU shadow
 * (umd.md 3.2, 5.3, 5.4, 6.4). */
#ifndef AGPU_UMD_RESOURCE_MEMORY_H
#define AGPU_UMD_RESOURCE_MEMORY_H

#include "umd-port/base/device.h"

/* Where a new resource's bytes live. */
enum agpu_backing {
    AGPU_BACKED_BY_DEVICE,          /* no allocation: host-owned, shadow only */
    AGPU_BACKED_BY_DEVICE_LOCKABLE, /* host-owned with an allocation to lock: what the application maps */
    AGPU_BACKED_BY_GUEST,           /* the allocation is the resource's memory */
};

enum agpu_backing agpu_choose_backing(const struct agpu_device *device, const struct agpu_resource *resource,
                                      bool primary);

/* What an allocation is asked for. */
struct agpu_allocation_request {
    uint64_t bytes;
    uint32_t row_pitch; /* 0 for buffers */
    bool primary;
    uint32_t source; /* primaries: video present source */
    enum agpu_backing backing;
};

/* AllocateCb with private data v2, and everything that comes back checked and adopted: handles, alloc_id,
 * token, and for textures the layout rebuilt at the pitch that the kernel chose. On failure nothing stays
 * allocated (umd.md 5.4). */
HRESULT agpu_allocate(struct agpu_device *device, struct agpu_resource *resource,
                      const struct agpu_allocation_request *request);
/* DeallocateCb; harmless without an allocation. */
HRESULT agpu_deallocate(struct agpu_device *device, struct agpu_resource *resource);

/* Zeroed shadow of the resource's size; keeps an existing one. False: out of memory. */
bool agpu_make_shadow(struct agpu_device *device, struct agpu_resource *resource);
/* Works also after the device is gone. */
void agpu_free_shadow(struct agpu_resource *resource);

/* Frees the copy that Map handed out instead of the memory, if it did (umd.md 6.4). Works also after the device is gone. */
void agpu_free_bounce(const struct agpu_resource *resource);

/* Slow part of agpu_lock(): everything but success on the instance that was asked for. */
HRESULT agpu_lock_other(struct agpu_device *device, struct agpu_resource *resource, HRESULT hr);

/* LockCb; on success resource->lock.pData is the start of the allocation, until the next lock.
 * DXGI_ERROR_WAS_STILL_DRAWING when busy; the instance that came back replaces the resource's handle. The arguments lie
 * in the resource because a lock is the greater part of a small map, and making them anew would be a part of the lock. */
static inline HRESULT agpu_lock_allocated(struct agpu_device *device, struct agpu_resource *resource,
                                          D3DDDICB_LOCKFLAGS flags)
{
    const D3DDDI_DEVICECALLBACKS *callbacks = device->callbacks;
    D3DDDICB_LOCK *lock = &resource->lock;

    if (callbacks->pfnLockCb == NULL || callbacks->pfnUnlockCb == NULL) {
        return E_FAIL;
    }
    lock->Flags = flags;
    lock->pData = NULL;
    HRESULT hr = callbacks->pfnLockCb(device->runtime.handle, lock);
    bool as_asked =
        !((uint32_t)hr | (lock->hAllocation ^ resource->km_allocation)) && lock->pData != NULL; /* hr S_OK */
    return __builtin_expect(as_asked, 1) ? S_OK : agpu_lock_other(device, resource, hr);
}

/* The same of a resource that may have no allocation: E_FAIL. */
static inline HRESULT agpu_lock(struct agpu_device *device, struct agpu_resource *resource,
                                D3DDDICB_LOCKFLAGS flags)
{
    return resource->alloc_handle ? agpu_lock_allocated(device, resource, flags) : E_FAIL;
}

static inline HRESULT agpu_unlock(struct agpu_device *device, struct agpu_resource *resource)
{
    return device->callbacks->pfnUnlockCb != NULL
               ? device->callbacks->pfnUnlockCb(device->runtime.handle, &resource->unlock)
               : E_FAIL;
}

/* Lock flags of a map type (umd.md 1.3), DonotWait not included. */
static inline D3DDDICB_LOCKFLAGS agpu_lock_flags(uint32_t map_type)
{
    D3DDDICB_LOCKFLAGS flags = {.Value = 0};

    flags.ReadOnly = map_type == D3D10_DDI_MAP_READ;
    flags.WriteOnly = map_type != D3D10_DDI_MAP_READ && map_type != D3D10_DDI_MAP_READWRITE;
    flags.Discard = map_type == D3D10_DDI_MAP_WRITE_DISCARD;
    flags.IgnoreSync = map_type == D3D10_DDI_MAP_WRITE_NOOVERWRITE; /* the kit has no NoOverwrite bit */
    return flags;
}

/* CPU access to a whole resource for the driver's own copying: the shadow of host-owned ones, else a lock. */
struct agpu_cpu_view {
    uint8_t *data; /* start of the resource */
    bool locked;
};
HRESULT agpu_cpu_open(struct agpu_device *device, struct agpu_resource *resource, uint32_t map_type,
                      struct agpu_cpu_view *view);
void agpu_cpu_close(struct agpu_device *device, struct agpu_resource *resource, struct agpu_cpu_view *view);

/* Copies rows; when fill is set the rest of each destination row up to dst_pitch is zeroed. */
void agpu_copy_rows(uint8_t *dst, uint32_t dst_pitch, const uint8_t *src, uint32_t src_pitch,
                    uint32_t row_bytes, uint32_t rows, bool fill);

#endif
