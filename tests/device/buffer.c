/* buffer.c: CREATE_BUFFER and COPY_BUFFER (commands.md 6.1, 6.4). */
#include <string.h>

#include "pci/aerogpu_pci.h"
#include "ring/aerogpu_cmd.h"
#include "tests/device/device_private.h"
#include "tests/device/packets.h"
#include "tests/device/resource.h"

/* A live handle with the same immutable properties: only the backing changes, contents stay
 * (commands.md 6.1). */
static uint32_t rebind(struct agpu_resource *old, const struct agpu_resource *properties)
{
    if (old == NULL || old->object.kind != AGPU_OBJECT_BUFFER || old->size != properties->size ||
        old->usage != properties->usage) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    old->backing = properties->backing;
    return AEROGPU_ERROR_NONE;
}

uint32_t agpu_packet_create_buffer(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_buffer *create = packet;
    const struct agpu_resource properties = {
        .object.kind = AGPU_OBJECT_BUFFER,
        .usage = create->usage_flags,
        .backing = {create->backing_alloc_id, create->backing_offset_bytes},
        .size = create->size_bytes,
    };
    const struct agpu_alloc *alloc = NULL;

    (void)size;
    if (create->buffer_handle == 0 || properties.size == 0 || properties.size % 4 != 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (properties.backing.alloc_id != 0) {
        alloc = agpu_backing_resolve(exec, &properties.backing, properties.size);
        if (alloc == NULL) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    if (agpu_map_find(&exec->objects, create->buffer_handle) != NULL) {
        return rebind(agpu_resource_find(exec, create->buffer_handle), &properties);
    }
    return agpu_resource_create(exec, create->buffer_handle, &properties, alloc);
}

static bool range_inside(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

uint32_t agpu_packet_copy_buffer(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_copy_buffer *copy = packet;
    struct agpu_resource *dst;
    struct agpu_resource *src;
    const struct agpu_alloc *alloc = NULL;
    uint64_t bytes = copy->size_bytes;

    (void)size;
    if (bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    dst = agpu_buffer_find(exec, copy->dst_buffer);
    src = agpu_buffer_find(exec, copy->src_buffer);
    /* Two names of one resource count as equal handles (commands.md 12: an alias is the original everywhere).
     */
    if (dst == NULL || src == NULL || dst == src || (copy->flags & ~AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0 ||
        ((copy->dst_offset_bytes | copy->src_offset_bytes | bytes) & 3u) != 0 ||
        !range_inside(copy->dst_offset_bytes, bytes, dst->size) ||
        !range_inside(copy->src_offset_bytes, bytes, src->size)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if ((copy->flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0) {
        alloc = agpu_resource_writable(exec, dst);
        if (alloc == NULL) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    if (exec->device->fault == AGPU_FAULT_COPY_DROPS_TAIL) {
        bytes -= 4;
    }
    agpu_resource_touch(exec, src);
    agpu_resource_change(exec, dst, copy->dst_offset_bytes, bytes);
    memcpy(dst->data + copy->dst_offset_bytes, src->data + copy->src_offset_bytes, bytes);
    agpu_exec_spend(exec, bytes);
    if (alloc != NULL && exec->device->fault != AGPU_FAULT_WRITEBACK_LOST) {
        agpu_resource_store(exec, dst, alloc, copy->dst_offset_bytes, dst->data + copy->dst_offset_bytes,
                            bytes);
    }
    return AEROGPU_ERROR_NONE;
}
