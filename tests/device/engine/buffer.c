/* buffer.c: CREATE_BUFFER and COPY_BUFFER (commands.md 6.1, 6.4). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"

/* Handles CREATE_BUFFER for a live handle with the same immutable properties: only the backing changes, the
 * contents stay (commands.md 6.1). */
static uint32_t rebind_buffer(struct vgpu_resource *old, const struct vgpu_resource *properties)
{
    if (old == NULL || old->object.kind != VGPU_OBJECT_BUFFER || old->size != properties->size ||
        old->usage != properties->usage) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    old->backing = properties->backing;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_create_buffer(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_buffer *create = packet;
    const struct vgpu_resource properties = {
        .object.kind = VGPU_OBJECT_BUFFER,
        .usage = create->usage_flags,
        .backing = {create->backing_alloc_id, create->backing_offset_bytes},
        .size = create->size_bytes,
    };
    const struct vgpu_alloc *alloc = NULL;

    (void)size;
    if (create->buffer_handle == 0 || properties.size == 0 || properties.size % 4 != 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (properties.backing.alloc_id != 0) {
        alloc = vgpu_backing_resolve(exec, &properties.backing, properties.size);
        if (alloc == NULL) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    if (vgpu_map_find(&exec->objects, create->buffer_handle) != NULL) {
        return rebind_buffer(vgpu_resource_find(exec, create->buffer_handle), &properties);
    }
    return vgpu_resource_create(exec, create->buffer_handle, &properties, alloc);
}

static bool bytes_inside(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

uint32_t vgpu_packet_copy_buffer(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_copy_buffer *copy = packet;
    struct vgpu_resource *dst;
    struct vgpu_resource *src;
    const struct vgpu_alloc *alloc = NULL;
    const uint64_t bytes = copy->size_bytes;

    (void)size;
    if (bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    dst = vgpu_buffer_find(exec, copy->dst_buffer);
    src = vgpu_buffer_find(exec, copy->src_buffer);
    /* Two handles of one resource count as equal (commands.md 12: an alias is equivalent to the original). */
    if (dst == NULL || src == NULL || dst == src || (copy->flags & ~AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0 ||
        ((copy->dst_offset_bytes | copy->src_offset_bytes | bytes) & 3u) != 0 ||
        !bytes_inside(copy->dst_offset_bytes, bytes, dst->size) ||
        !bytes_inside(copy->src_offset_bytes, bytes, src->size)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if ((copy->flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0) {
        alloc = vgpu_resource_writable(exec, dst);
        if (alloc == NULL) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    vgpu_resource_touch(exec, src);
    vgpu_resource_change(exec, dst, copy->dst_offset_bytes, bytes);
    memcpy(dst->data + copy->dst_offset_bytes, src->data + copy->src_offset_bytes, bytes);
    vgpu_exec_spend(exec, bytes);
    if (alloc != NULL) {
        vgpu_resource_store(exec, dst, alloc, copy->dst_offset_bytes, dst->data + copy->dst_offset_bytes,
                            bytes);
    }
    return AEROGPU_ERROR_NONE;
}
