/* upload.c: RESOURCE_DIRTY_RANGE and UPLOAD_RESOURCE (commands.md 6.2, 6.3). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"

static bool upload_inside(const struct vgpu_resource *resource, uint64_t offset, uint64_t size)
{
    return offset <= resource->size && size <= resource->size - offset;
}

uint32_t vgpu_packet_resource_dirty_range(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_resource_dirty_range *dirty = packet;
    struct vgpu_resource *resource;
    const struct vgpu_alloc *alloc;

    (void)size;
    if (dirty->size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    resource = vgpu_resource_find(exec, dirty->resource_handle);
    if (resource == NULL) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (resource->backing.alloc_id == 0) { /* a device-owned resource ignores it */
        return AEROGPU_ERROR_NONE;
    }
    alloc = vgpu_backing_resolve(exec, &resource->backing, resource->size);
    if (alloc == NULL || !upload_inside(resource, dirty->offset_bytes, dirty->size_bytes)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    vgpu_resource_load(exec, resource, alloc, dirty->offset_bytes, dirty->size_bytes);
    return AEROGPU_ERROR_NONE;
}

/* Offsets and sizes in buffers are multiples of 4, except for an unaligned tail that ends at the end of the
 * buffer. Textures accept any. */
static bool upload_aligned(const struct vgpu_resource *resource, uint64_t offset, uint64_t size)
{
    return resource->object.kind != VGPU_OBJECT_BUFFER ||
           (offset % 4 == 0 && (size % 4 == 0 || offset + size == resource->size));
}

uint32_t vgpu_packet_upload_resource(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_upload_resource *upload = packet;
    const uint64_t bytes = upload->size_bytes;
    const uint64_t offset = upload->offset_bytes;
    struct vgpu_resource *resource;

    if (bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (bytes > size - sizeof *upload) { /* size is a multiple of 4, so the padding is included */
        return AEROGPU_ERROR_CMD_DECODE;
    }
    resource = vgpu_resource_find(exec, upload->resource_handle);
    if (resource == NULL || resource->backing.alloc_id != 0 || !upload_inside(resource, offset, bytes) ||
        !upload_aligned(resource, offset, bytes)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    vgpu_resource_change(exec, resource, offset, bytes);
    memcpy(resource->data + offset, upload + 1, bytes);
    vgpu_exec_spend(exec, bytes);
    return AEROGPU_ERROR_NONE;
}
