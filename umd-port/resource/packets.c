/* packets.c: resource packets (commands.md 6, 12). */
#include "umd-port/resource/packets.h"

bool agpu_emit_create_buffer(struct agpu_cmd_writer *cmd, const struct agpu_resource *resource,
                             uint32_t usage_flags)
{
    struct aerogpu_cmd_create_buffer *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_CREATE_BUFFER, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->buffer_handle = resource->handle;
    packet->usage_flags = usage_flags;
    packet->size_bytes = resource->bytes;
    packet->backing_alloc_id = resource->alloc_id;
    packet->backing_offset_bytes = 0;
    packet->reserved0 = 0;
    return true;
}

bool agpu_emit_create_texture(struct agpu_cmd_writer *cmd, const struct agpu_resource *resource,
                              uint32_t usage_flags)
{
    struct aerogpu_cmd_create_texture2d *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_CREATE_TEXTURE2D, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->texture_handle = resource->handle;
    packet->usage_flags = usage_flags;
    packet->format = resource->protocol_format;
    packet->width = resource->layout.width;
    packet->height = resource->layout.height;
    packet->mip_levels = resource->layout.mips;
    packet->array_layers = resource->layout.layers;
    packet->row_pitch_bytes = resource->layout.row_pitch;
    packet->backing_alloc_id = resource->alloc_id;
    packet->backing_offset_bytes = 0;
    packet->reserved0 = 0;
    return true;
}

bool agpu_emit_destroy_resource(struct agpu_cmd_writer *cmd, uint32_t handle)
{
    struct aerogpu_cmd_destroy_resource *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_DESTROY_RESOURCE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->resource_handle = handle;
    packet->reserved0 = 0;
    return true;
}

bool agpu_emit_dirty_range(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t offset, uint64_t bytes)
{
    struct aerogpu_cmd_resource_dirty_range *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->resource_handle = handle;
    packet->reserved0 = 0;
    packet->offset_bytes = offset;
    packet->size_bytes = bytes;
    return true;
}

bool agpu_emit_export(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t share_token)
{
    struct aerogpu_cmd_export_shared_surface *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->resource_handle = handle;
    packet->reserved0 = 0;
    packet->share_token = share_token;
    return true;
}

bool agpu_emit_import(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t share_token)
{
    struct aerogpu_cmd_import_shared_surface *packet =
        agpu_cmd_reserve(cmd, AEROGPU_CMD_IMPORT_SHARED_SURFACE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->out_resource_handle = handle;
    packet->reserved0 = 0;
    packet->share_token = share_token;
    return true;
}
