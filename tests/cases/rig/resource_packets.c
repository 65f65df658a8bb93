/* resource_packets.c: resource packets for cases. */
#include "tests/cases/rig/resource_packets.h"

#include <string.h>

#define ALL_BUFFER_USAGES                                                                                    \
    (AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER | AEROGPU_RESOURCE_USAGE_INDEX_BUFFER |                            \
     AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER)

struct aerogpu_cmd_create_buffer *agpu_put_create_buffer(struct agpu_rig *rig, uint32_t handle, uint64_t size,
                                                         uint32_t backing_alloc_id, uint32_t backing_offset)
{
    struct aerogpu_cmd_create_buffer *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_CREATE_BUFFER, sizeof *packet);

    packet->buffer_handle = handle;
    packet->usage_flags = ALL_BUFFER_USAGES;
    packet->size_bytes = size;
    packet->backing_alloc_id = backing_alloc_id;
    packet->backing_offset_bytes = backing_offset;
    return packet;
}

void agpu_put_destroy(struct agpu_rig *rig, uint32_t handle)
{
    struct aerogpu_cmd_destroy_resource *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_DESTROY_RESOURCE, sizeof *packet);

    packet->resource_handle = handle;
}

void agpu_put_dirty(struct agpu_rig *rig, uint32_t handle, uint64_t offset, uint64_t size)
{
    struct aerogpu_cmd_resource_dirty_range *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof *packet);

    packet->resource_handle = handle;
    packet->offset_bytes = offset;
    packet->size_bytes = size;
}

struct aerogpu_cmd_upload_resource *agpu_put_upload(struct agpu_rig *rig, uint32_t handle, uint64_t offset,
                                                    const void *data, uint32_t size)
{
    uint32_t padded = (size + 3) & ~3u;

    struct aerogpu_cmd_upload_resource *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_UPLOAD_RESOURCE, (uint32_t)sizeof *packet + padded);

    packet->resource_handle = handle;
    packet->offset_bytes = offset;
    packet->size_bytes = size;
    if (!rig->broken) {
        memcpy(packet + 1, data, size);
    }
    return packet;
}

struct aerogpu_cmd_copy_buffer *agpu_put_copy_buffer(struct agpu_rig *rig, uint32_t dst, uint64_t dst_offset,
                                                     uint32_t src, uint64_t src_offset, uint64_t size,
                                                     uint32_t flags)
{
    struct aerogpu_cmd_copy_buffer *packet = agpu_rig_packet(rig, AEROGPU_CMD_COPY_BUFFER, sizeof *packet);

    packet->dst_buffer = dst;
    packet->src_buffer = src;
    packet->dst_offset_bytes = dst_offset;
    packet->src_offset_bytes = src_offset;
    packet->size_bytes = size;
    packet->flags = flags;
    return packet;
}

void agpu_fill_pattern(void *memory, size_t size, uint32_t seed)
{
    uint8_t *bytes = memory;
    uint32_t state = seed * 2654435761u + 1;

    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(state >> 24);
    }
}

struct aerogpu_cmd_create_texture2d *agpu_put_create_texture(struct agpu_rig *rig, uint32_t handle,
                                                             uint32_t format, uint32_t width, uint32_t height,
                                                             uint32_t row_pitch, uint32_t backing_alloc_id)
{
    struct aerogpu_cmd_create_texture2d *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_CREATE_TEXTURE2D, sizeof *packet);

    packet->texture_handle = handle;
    packet->usage_flags = AEROGPU_RESOURCE_USAGE_TEXTURE;
    packet->format = format;
    packet->width = width;
    packet->height = height;
    packet->mip_levels = 1;
    packet->array_layers = 1;
    packet->row_pitch_bytes = row_pitch;
    packet->backing_alloc_id = backing_alloc_id;
    return packet;
}

struct aerogpu_cmd_copy_texture2d *agpu_put_copy_texture(struct agpu_rig *rig, uint32_t dst, uint32_t src,
                                                         uint32_t width, uint32_t height, uint32_t flags)
{
    struct aerogpu_cmd_copy_texture2d *packet =
        agpu_rig_packet(rig, AEROGPU_CMD_COPY_TEXTURE2D, sizeof *packet);

    packet->dst_texture = dst;
    packet->src_texture = src;
    packet->width = width;
    packet->height = height;
    packet->flags = flags;
    return packet;
}

void agpu_put_present(struct agpu_rig *rig, uint32_t scanout_id, uint32_t flags)
{
    struct aerogpu_cmd_present *packet = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT, sizeof *packet);

    packet->scanout_id = scanout_id;
    packet->flags = flags;
}

void agpu_put_present_ex(struct agpu_rig *rig, uint32_t scanout_id, uint32_t flags, uint32_t d3d9_flags)
{
    struct aerogpu_cmd_present_ex *packet = agpu_rig_packet(rig, AEROGPU_CMD_PRESENT_EX, sizeof *packet);

    packet->scanout_id = scanout_id;
    packet->flags = flags;
    packet->d3d9_present_flags = d3d9_flags;
}
