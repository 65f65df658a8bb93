/* copy_packets.h: one checked copy between two resources, and its packet (umd.md 7.2, commands.md 6.4). */
#ifndef AGPU_UMD_RESOURCE_COPY_PACKETS_H
#define AGPU_UMD_RESOURCE_COPY_PACKETS_H

#include "umd-port/base/writer.h"
#include "umd-port/resource/box.h"

struct agpu_buffer_copy {
    struct agpu_resource *dst, *src;
    uint64_t dst_offset, src_offset, bytes;
};

struct agpu_texture_copy {
    struct agpu_resource *dst, *src;
    uint32_t dst_index, src_index; /* subresources */
    uint32_t dst_x, dst_y;
    struct agpu_texel_rect rect; /* of the source */
};

/* True when the device must write the copied bytes back to guest memory: only where the CPU will read them. */
static inline bool agpu_wants_writeback(const struct agpu_resource *dst)
{
    return dst->usage == D3D10_DDI_USAGE_STAGING && (dst->cpu_access & D3D10_DDI_CPU_ACCESS_READ) &&
           dst->alloc_id;
}

/* Record the packets; false without room. */
bool agpu_emit_copy_buffer(struct agpu_cmd_writer *cmd, const struct agpu_buffer_copy *copy,
                           uint32_t dst_handle, uint32_t src_handle, bool writeback);
bool agpu_emit_copy_texture(struct agpu_cmd_writer *cmd, const struct agpu_texture_copy *copy,
                            bool writeback);

#endif
