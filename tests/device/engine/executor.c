/* executor.c: see executor.h. */
#include "tests/device/engine/executor.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/resource.h"

/* Guest memory follows each copy, and other flags are ignored. */
static uint32_t flags_of(const struct vgpu_resource *dst, uint32_t flags)
{
    return dst != NULL && dst->backing.alloc_id != 0 ? AEROGPU_COPY_FLAG_WRITEBACK_DST
                                                     : flags & AEROGPU_COPY_FLAG_WRITEBACK_DST;
}

uint32_t vgpu_execute_less(struct vgpu_exec *exec, const struct vgpu_packet_type *type,
                           const struct aerogpu_cmd_hdr *packet)
{
    union {
        struct aerogpu_cmd_copy_buffer buffer;
        struct aerogpu_cmd_copy_texture2d texture;
    } copy;

    if (exec->bus->executor == VGPU_EXECUTOR_NONE) {
        return AEROGPU_ERROR_NONE;
    }
    switch (packet->opcode) {
    case AEROGPU_CMD_CREATE_TEXTURE_VIEW:
    case AEROGPU_CMD_DESTROY_TEXTURE_VIEW:
        return AEROGPU_ERROR_NONE;
    case AEROGPU_CMD_COPY_BUFFER:
        copy.buffer = *(const struct aerogpu_cmd_copy_buffer *)(const void *)packet;
        copy.buffer.flags = flags_of(vgpu_buffer_find(exec, copy.buffer.dst_buffer), copy.buffer.flags);
        return type->execute(exec, &copy, sizeof copy.buffer);
    case AEROGPU_CMD_COPY_TEXTURE2D:
        copy.texture = *(const struct aerogpu_cmd_copy_texture2d *)(const void *)packet;
        copy.texture.flags = flags_of(vgpu_texture_find(exec, copy.texture.dst_texture), copy.texture.flags);
        return type->execute(exec, &copy, sizeof copy.texture);
    case AEROGPU_CMD_CLEAR:
        type->execute(exec, packet, packet->size_bytes); /* passes over targets that do not exist */
        return AEROGPU_ERROR_NONE;
    default:
        return type->execute(exec, packet, packet->size_bytes);
    }
}
