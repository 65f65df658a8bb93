/* allocation.h: the kernel allocation behind a resource (umd.md 5.3, 5.4). */
#ifndef AGPU_UMD_RESOURCE_ALLOCATION_H
#define AGPU_UMD_RESOURCE_ALLOCATION_H

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

#endif
