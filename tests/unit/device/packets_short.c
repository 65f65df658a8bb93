/* packets_short.c: helpers that build packets. */
#include "tests/unit/device/packets_short.h"

#include <string.h>

#include "tests/device/engine/texture_layout.h"

#define READ_ALLOC  12u
#define READ_HANDLE 0xFEEDu

struct aerogpu_cmd_create_buffer *add_buffer(struct fake_driver *driver, uint32_t handle, uint64_t size,
                                             uint32_t alloc_id)
{
    struct aerogpu_cmd_create_buffer *packet =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);

    packet->buffer_handle = handle;
    packet->size_bytes = size;
    packet->backing_alloc_id = alloc_id;
    return packet;
}

struct aerogpu_cmd_copy_buffer *add_copy(struct fake_driver *driver, uint32_t dst, uint32_t src,
                                         uint64_t size)
{
    struct aerogpu_cmd_copy_buffer *packet = STREAM_PACKET(driver, COPY_BUFFER, aerogpu_cmd_copy_buffer);

    packet->dst_buffer = dst;
    packet->src_buffer = src;
    packet->size_bytes = size;
    return packet;
}

struct aerogpu_cmd_create_texture2d *add_texture(struct fake_driver *driver, uint32_t handle, uint32_t format,
                                                 uint32_t width, uint32_t height, uint32_t alloc_id)
{
    struct aerogpu_cmd_create_texture2d *packet =
        STREAM_PACKET(driver, CREATE_TEXTURE2D, aerogpu_cmd_create_texture2d);

    packet->texture_handle = handle;
    packet->format = format;
    packet->width = width;
    packet->height = height;
    packet->mip_levels = 1;
    packet->array_layers = 1;
    packet->backing_alloc_id = alloc_id;
    packet->row_pitch_bytes = alloc_id != 0 ? width * 4 : 0;
    return packet;
}

struct aerogpu_cmd_copy_texture2d *add_texture_copy(struct fake_driver *driver, uint32_t dst, uint32_t src,
                                                    uint32_t width, uint32_t height)
{
    struct aerogpu_cmd_copy_texture2d *packet =
        STREAM_PACKET(driver, COPY_TEXTURE2D, aerogpu_cmd_copy_texture2d);

    packet->dst_texture = dst;
    packet->src_texture = src;
    packet->width = width;
    packet->height = height;
    return packet;
}

struct aerogpu_cmd_resource_dirty_range *add_dirty(struct fake_driver *driver, uint32_t handle,
                                                   uint64_t offset, uint64_t size)
{
    struct aerogpu_cmd_resource_dirty_range *packet =
        STREAM_PACKET(driver, RESOURCE_DIRTY_RANGE, aerogpu_cmd_resource_dirty_range);

    packet->resource_handle = handle;
    packet->offset_bytes = offset;
    packet->size_bytes = size;
    return packet;
}

struct aerogpu_cmd_upload_resource *add_upload(struct fake_driver *driver, uint32_t handle, uint64_t offset,
                                               const void *bytes, uint32_t size)
{
    struct aerogpu_cmd_upload_resource *packet =
        stream_packet(driver, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof *packet + ((size + 3u) & ~3u));

    packet->resource_handle = handle;
    packet->offset_bytes = offset;
    packet->size_bytes = size;
    memcpy(packet + 1, bytes, size);
    return packet;
}

void add_destroy(struct fake_driver *driver, uint32_t handle)
{
    STREAM_PACKET(driver, DESTROY_RESOURCE, aerogpu_cmd_destroy_resource)->resource_handle = handle;
}

struct aerogpu_cmd_set_render_targets *add_targets(struct fake_driver *driver, uint32_t color, uint32_t depth)
{
    struct aerogpu_cmd_set_render_targets *packet =
        STREAM_PACKET(driver, SET_RENDER_TARGETS, aerogpu_cmd_set_render_targets);

    packet->color_count = color != 0;
    packet->colors[0] = color;
    packet->depth_stencil = depth;
    return packet;
}

uint32_t f32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

struct aerogpu_cmd_clear *add_clear(struct fake_driver *driver, uint32_t flags, float r, float g, float b,
                                    float a)
{
    struct aerogpu_cmd_clear *packet = STREAM_PACKET(driver, CLEAR, aerogpu_cmd_clear);

    packet->flags = flags;
    packet->color_rgba_f32[0] = f32(r);
    packet->color_rgba_f32[1] = f32(g);
    packet->color_rgba_f32[2] = f32(b);
    packet->color_rgba_f32[3] = f32(a);
    return packet;
}

void read_buffer(struct fake_driver *driver, uint32_t handle, uint64_t offset, void *out, uint32_t size)
{
    struct aerogpu_cmd_copy_buffer *copy;

    table_begin(driver);
    table_add(driver, READ_ALLOC);
    stream_begin(driver);
    add_buffer(driver, READ_HANDLE, size, READ_ALLOC);
    copy = add_copy(driver, READ_HANDLE, handle, size);
    copy->src_offset_bytes = offset;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    add_destroy(driver, READ_HANDLE);
    submit_good(driver);
    memcpy(out, alloc_bytes(driver, READ_ALLOC), size);
}

void read_texture(struct fake_driver *driver, uint32_t handle, uint32_t format, uint32_t width,
                  uint32_t height, void *out)
{
    struct vgpu_texture_layout layout = {
        .format = format, .width = width, .height = height, .mip_levels = 1, .array_layers = 1};
    uint64_t size = 0;

    (void)vgpu_texture_layout_init(&layout, &size);
    table_begin(driver);
    table_add(driver, READ_ALLOC);
    stream_begin(driver);
    add_texture(driver, READ_HANDLE, format, width, height, READ_ALLOC)->row_pitch_bytes = layout.row_pitch;
    add_texture_copy(driver, READ_HANDLE, handle, width, height)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    add_destroy(driver, READ_HANDLE);
    submit_good(driver);
    memcpy(out, alloc_bytes(driver, READ_ALLOC), size);
}
