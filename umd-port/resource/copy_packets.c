/* copy_packets.c: COPY_BUFFER and COPY_TEXTURE2D (commands.md 6.4). */
#include "umd-port/resource/copy_packets.h"

bool agpu_emit_copy_buffer(struct agpu_cmd_writer *cmd, const struct agpu_buffer_copy *copy,
                           uint32_t dst_handle, uint32_t src_handle, bool writeback)
{
    struct aerogpu_cmd_copy_buffer *packet = agpu_cmd_reserve(cmd, AEROGPU_CMD_COPY_BUFFER, sizeof *packet);

    if (packet == NULL) {
        return false;
    }
    packet->dst_buffer = dst_handle;
    packet->src_buffer = src_handle;
    packet->dst_offset_bytes = copy->dst_offset;
    packet->src_offset_bytes = copy->src_offset;
    packet->size_bytes = copy->bytes;
    packet->flags = writeback ? AEROGPU_COPY_FLAG_WRITEBACK_DST : AEROGPU_COPY_FLAG_NONE;
    packet->reserved0 = 0;
    return true;
}

bool agpu_emit_copy_texture(struct agpu_cmd_writer *cmd, const struct agpu_texture_copy *copy, bool writeback)
{
    struct aerogpu_cmd_copy_texture2d *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_COPY_TEXTURE2D, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    uint32_t dst_mips = copy->dst->layout.mips, src_mips = copy->src->layout.mips;
    packet->dst_texture = copy->dst->handle;
    packet->src_texture = copy->src->handle;
    packet->dst_mip_level = copy->dst_index % dst_mips;
    packet->dst_array_layer = copy->dst_index / dst_mips;
    packet->src_mip_level = copy->src_index % src_mips;
    packet->src_array_layer = copy->src_index / src_mips;
    packet->dst_x = copy->dst_x;
    packet->dst_y = copy->dst_y;
    packet->src_x = copy->rect.x;
    packet->src_y = copy->rect.y;
    packet->width = copy->rect.width;
    packet->height = copy->rect.height;
    packet->flags = writeback ? AEROGPU_COPY_FLAG_WRITEBACK_DST : AEROGPU_COPY_FLAG_NONE;
    packet->reserved0 = 0;
    return true;
}
