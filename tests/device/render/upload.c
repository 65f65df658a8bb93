/* upload.c: resources in the drawing process: creation, upload, read back. */
#include "tests/device/render/upload.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/numbers.h"

/* Transfer size; larger resources are transferred in parts. */
#define PART_BYTES (32u << 20)

static bool depth_stencil(const struct vgpu_resource *resource)
{
    return resource->layout.format == AEROGPU_FORMAT_D24_UNORM_S8_UINT;
}

static bool unused_bits_8(const struct vgpu_resource *resource)
{
    return vgpu_format_find(resource->layout.format)->x8;
}

uint32_t vgpu_render_number(const struct vgpu_resource *resource)
{
    const struct vgpu_render_resource *data = resource->renderer_data;

    return data->number;
}

static uint32_t create_render_resource(struct vgpu_render *render, const struct vgpu_resource *resource,
                                       struct vgpu_render_resource *data)
{
    if (!vgpu_engine_reserve(render, 256, 0)) {
        return AEROGPU_ERROR_BACKEND;
    }
    uint32_t number = vgpu_number_alloc(&render->resources);
    if (!number) {
        return vgpu_render_failed(render, "more resources than the drawing process can hold");
    }
    if (resource->object.kind == VGPU_OBJECT_BUFFER) {
        struct vgpu_wire_buffer_create *message =
            vgpu_engine_message(render, VGPU_WIRE_BUFFER_CREATE, sizeof *message);
        message->buffer = number;
        message->size = resource->size;
    } else {
        struct vgpu_wire_texture_create *message =
            vgpu_engine_message(render, VGPU_WIRE_TEXTURE_CREATE, sizeof *message);
        message->texture = number;
        message->format = resource->layout.format;
        message->width = resource->layout.width;
        message->height = resource->layout.height;
        message->mip_levels = resource->layout.mip_levels;
        message->array_layers = resource->layout.array_layers;
    }
    *data = (struct vgpu_render_resource){
        .generation = render->generation, .number = number, .version = resource->version - 1};
    return AEROGPU_ERROR_NONE;
}

/* Transfers bytes [at, end) of a buffer, multiples of 4, in parts. read: from the drawing process. */
static bool move_bytes(struct vgpu_render *render, struct vgpu_resource *resource, uint64_t at, uint64_t end,
                       bool read)
{
    while (at < end) {
        uint64_t size = end - at < PART_BYTES ? end - at : PART_BYTES;

        if (!vgpu_engine_reserve(render, 256, size)) {
            return false;
        }
        struct vgpu_wire_buffer_transfer *message = vgpu_engine_message(
            render, read ? VGPU_WIRE_BUFFER_READ : VGPU_WIRE_BUFFER_WRITE, sizeof *message);
        message->buffer = vgpu_render_number(resource);
        message->offset = at;
        message->size = size;
        message->data = vgpu_engine_data(render, (uint32_t)size);
        uint8_t *shared = render->shared + message->data;
        if (!read) {
            memcpy(shared, resource->data + at, size);
            render->uploaded += size;
        } else if (vgpu_engine_flush(render)) {
            memcpy(resource->data + at, shared, size);
        } else {
            return false;
        }
        at += size;
    }
    return true;
}

/* Splits one row of the model's packed texels into the depth and stencil planes of the drawing process. */
static void split_row(const uint8_t *row, uint8_t *depth, uint8_t *stencil, uint32_t width)
{
    memcpy(depth, row, (size_t)width * 4);
    for (uint32_t x = 0; x < width; x++) {
        stencil[x] = row[4 * x + 3];
    }
}

static void join_row(uint8_t *row, const uint8_t *depth, const uint8_t *stencil, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++) {
        memcpy(row + 4 * x, depth + 4 * x, 3);
        row[4 * x + 3] = stencil[x];
    }
}

/* X8 texels are opaque: the drawing process stores an alpha of 1. */
static void copy_opaque(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    memcpy(to, from, bytes);
    for (uint64_t i = 3; i < bytes; i += 4) {
        to[i] = 0xff;
    }
}

static void move_row(const struct vgpu_resource *resource, const struct vgpu_subresource *sub, uint8_t *row,
                     uint8_t *shared, uint8_t *stencil, bool read)
{
    if (depth_stencil(resource) && read) {
        join_row(row, shared, stencil, sub->width);
    } else if (depth_stencil(resource)) {
        split_row(row, shared, stencil, sub->width);
    } else if (read) {
        memcpy(row, shared, sub->row_bytes);
    } else if (unused_bits_8(resource)) {
        copy_opaque(shared, row, sub->row_bytes);
    } else {
        memcpy(shared, row, sub->row_bytes);
    }
}

/* Transfers rows [row, end) of one subresource, in parts. */
static bool move_rows(struct vgpu_render *render, struct vgpu_resource *resource, uint32_t mip,
                      uint32_t layer, uint32_t row, uint32_t end, bool read)
{
    struct vgpu_subresource sub = vgpu_texture_subresource(&resource->layout, mip, layer);
    uint64_t most = sub.row_bytes > PART_BYTES ? 1 : PART_BYTES / sub.row_bytes;

    while (row < end) {
        uint32_t rows = end - row < most ? end - row : (uint32_t)most;
        uint64_t size = sub.row_bytes * rows;
        uint64_t stencil_size = depth_stencil(resource) ? (uint64_t)sub.width * rows : 0;

        if (!vgpu_engine_reserve(render, 256, vgpu_engine_data_room(size) + stencil_size)) {
            return false;
        }
        struct vgpu_wire_texture_transfer *message = vgpu_engine_message(
            render, read ? VGPU_WIRE_TEXTURE_READ : VGPU_WIRE_TEXTURE_WRITE, sizeof *message);
        message->texture = vgpu_render_number(resource);
        message->mip = mip;
        message->layer = layer;
        message->row = row;
        message->rows = rows;
        message->data = vgpu_engine_data(render, (uint32_t)size);
        message->stencil_data = stencil_size ? vgpu_engine_data(render, (uint32_t)stencil_size) : 0;
        uint8_t *shared = render->shared + message->data, *stencil = render->shared + message->stencil_data;
        if (read && !vgpu_engine_flush(render)) {
            return false;
        }
        render->uploaded += read ? 0 : size;
        for (uint32_t i = 0; i < rows; i++) {
            move_row(resource, &sub, resource->data + sub.offset + (row + i) * sub.pitch,
                     shared + i * sub.row_bytes, stencil + (uint64_t)i * sub.width, read);
        }
        row += rows;
    }
    return true;
}

/* Transfers the part of bytes [begin, end) that is in one layer of a texture: whole rows of each mip. */
static bool move_layer(struct vgpu_render *render, struct vgpu_resource *resource, uint32_t layer,
                       uint64_t begin, uint64_t end, bool read)
{
    for (uint32_t mip = 0; mip < resource->layout.mip_levels; mip++) {
        struct vgpu_subresource sub = vgpu_texture_subresource(&resource->layout, mip, layer);
        uint64_t sub_end = sub.offset + sub.pitch * sub.rows;

        if (begin >= sub_end || end <= sub.offset) {
            continue;
        }
        uint64_t first = begin > sub.offset ? (begin - sub.offset) / sub.pitch : 0;
        uint64_t last = end < sub_end ? (end - sub.offset + sub.pitch - 1) / sub.pitch : sub.rows;
        if (!move_rows(render, resource, mip, layer, (uint32_t)first, (uint32_t)last, read)) {
            return false;
        }
    }
    return true;
}

/* Transfers bytes [begin, end) of a resource, and some around them where necessary. */
static bool move_range(struct vgpu_render *render, struct vgpu_resource *resource, uint64_t begin,
                       uint64_t end, bool read)
{
    uint64_t layer_bytes = resource->layout.layer_bytes;

    if (resource->object.kind == VGPU_OBJECT_BUFFER) {
        return move_bytes(render, resource, begin & ~3ull, (end + 3) & ~3ull, read);
    }
    for (uint64_t layer = begin / layer_bytes; layer * layer_bytes < end; layer++) {
        if (!move_layer(render, resource, (uint32_t)layer, begin, end, read)) {
            return false;
        }
    }
    return true;
}

/* Uploads the model's changes since the last upload. */
static bool move_changes(struct vgpu_render *render, struct vgpu_resource *resource)
{
    const struct vgpu_changes *changes = &resource->changes;

    for (uint32_t i = 0; i < changes->count; i++) {
        if (!move_range(render, resource, changes->ranges[i].begin, changes->ranges[i].end, false)) {
            return false;
        }
    }
    return true;
}

uint32_t vgpu_render_upload(struct vgpu_render *render, struct vgpu_resource *resource)
{
    struct vgpu_render_resource *data = resource->renderer_data;

    if (data == NULL) {
        data = calloc(1, sizeof *data);
        if (data == NULL) {
            return vgpu_render_failed(render, "memory is exhausted");
        }
        resource->renderer_data = data;
    }
    for (uint32_t attempt = 0; attempt < 2; attempt++) {
        if (data->generation != render->generation) {
            resource->renderer_newer = false; /* the results of draws are lost with the process */
            uint32_t error = create_render_resource(render, resource, data);
            if (error) {
                return error;
            }
        }
        if (data->version == resource->version) {
            return AEROGPU_ERROR_NONE;
        }
        if (!(data->complete ? move_changes(render, resource)
                             : move_range(render, resource, 0, resource->size, false))) {
            return AEROGPU_ERROR_BACKEND;
        }
        data->complete = true;
        data->version = resource->version;
        resource->changes.count = 0;
    }
    return data->generation == render->generation ? AEROGPU_ERROR_NONE : AEROGPU_ERROR_BACKEND;
}

void vgpu_render_wrote(struct vgpu_resource *resource, uint32_t mip, uint32_t layer)
{
    struct vgpu_render_resource *data = resource->renderer_data;

    if (!resource->renderer_newer) {
        resource->renderer_newer = true;
        data->all_newer = false;
        data->newer_mip = mip;
        data->newer_layer = layer;
    } else if (data->newer_mip != mip || data->newer_layer != layer) {
        data->all_newer = true;
    }
}

void vgpu_render_read_back(void *ctx, struct vgpu_resource *resource)
{
    struct vgpu_render *render = ctx;
    struct vgpu_render_resource *data = resource->renderer_data;

    if (data == NULL || data->generation != render->generation || !render->worker.pid) {
        return;
    }
    if (resource->object.kind == VGPU_OBJECT_BUFFER || data->all_newer) {
        move_range(render, resource, 0, resource->size, true);
    } else {
        struct vgpu_subresource sub =
            vgpu_texture_subresource(&resource->layout, data->newer_mip, data->newer_layer);
        move_rows(render, resource, data->newer_mip, data->newer_layer, 0, sub.rows, true);
    }
}

void vgpu_render_forget_resource(void *ctx, struct vgpu_resource *resource)
{
    struct vgpu_render *render = ctx;
    struct vgpu_render_resource *data = resource->renderer_data;

    render->state = NULL;
    if (data != NULL && data->generation == render->generation && vgpu_engine_reserve(render, 256, 0)) {
        struct vgpu_wire_destroy *message =
            vgpu_engine_message(render, VGPU_WIRE_RESOURCE_DESTROY, sizeof *message);
        message->number = data->number;
        vgpu_number_free(&render->resources, data->number);
    }
    free(data);
    resource->renderer_data = NULL;
}
