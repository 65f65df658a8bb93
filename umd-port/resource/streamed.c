/* streamed.c: updates of guest-backed resources in stream order, and the write-back of buffers (umd.md 7.1). */
#include "umd-port/resource/streamed.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/resource/copy_packets.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"

/* True for colours of 32 bits: some devices copy no other texels (commands.md 6.4). */
static bool has_common_texels(const struct agpu_resource *texture)
{
    return texture->layout.block_bytes == 4 && !(texture->bind_flags & D3D10_DDI_BIND_DEPTH_STENCIL);
}

bool agpu_can_stream(const struct agpu_device *device, const struct agpu_resource *resource,
                     const struct agpu_update *update)
{
    return resource->usage == D3D10_DDI_USAGE_DEFAULT && !resource->is_shared &&
           (resource->kind == AGPU_KIND_BUFFER || has_common_texels(resource)) &&
           (uint64_t)update->rows.row_bytes * update->rows.rows <= AGPU_STREAMED_BYTES &&
           agpu_gate_transfer(device->adapter);
}

bool agpu_may_keep_bytes(const struct agpu_resource *buffer)
{
    return buffer->bytes <= AGPU_STREAMED_BYTES && !(buffer->bind_flags & D3D11_DDI_BIND_UNORDERED_ACCESS);
}

bool agpu_emit_rows(struct agpu_cmd_writer *cmd, uint32_t handle, uint64_t bytes,
                    const struct agpu_update *update)
{
    uint8_t *out = agpu_emit_upload(cmd, handle, 0, bytes);

    if (out == NULL) {
        return false;
    }
    agpu_copy_rows(out, update->rows.row_bytes, update->data, update->data_pitch, update->rows.row_bytes,
                   update->rows.rows, false);
    uint64_t filled = (uint64_t)update->rows.row_bytes * update->rows.rows;
    memset(out + filled, 0, (size_t)(bytes - filled));
    return true;
}

/* All updates of buffers use one upload buffer, one after the other: the stream keeps them in order. */
static bool emit_buffer_write(struct agpu_device *device, const struct agpu_resource *buffer,
                              const struct agpu_update *update, uint32_t upload_buffer)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    const struct agpu_words words = agpu_words_around(buffer, update->offset, update->bytes);
    /* A current shadow has the update, and the rest of words that it writes in part. */
    const uint8_t *data = buffer->shadow_current ? buffer->shadow + words.offset : update->data;
    const uint64_t given = buffer->shadow_current ? words.bytes : update->bytes;

    for (uint64_t at = 0; at < words.bytes; at += AGPU_UPLOAD_BYTES) {
        const uint64_t rest = words.bytes - at, room = given - at;
        const struct agpu_buffer_copy copy = {.dst_offset = words.offset + at,
                                              .bytes = rest < AGPU_UPLOAD_BYTES ? rest : AGPU_UPLOAD_BYTES};
        const size_t bytes = (size_t)(room < copy.bytes ? room : copy.bytes);
        uint8_t *out = agpu_emit_upload(cmd, upload_buffer, 0, copy.bytes);

        if (out == NULL) {
            return false;
        }
        memcpy(out, data + at, bytes);
        memset(out + bytes, 0, (size_t)copy.bytes - bytes);
        if (!agpu_emit_copy_buffer(cmd, &copy, buffer->handle, upload_buffer, false)) {
            return false;
        }
    }
    return true;
}

bool agpu_emit_texture_write(struct agpu_device *device, struct agpu_resource *texture,
                             const struct agpu_update *update, bool writeback)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    const struct agpu_texel_rect rect = update->rect;

    /* The next write creates it again under the same handle. */
    if (!device->upload_texture) {
        device->upload_texture = agpu_adapter_next_handle(device->adapter);
    }
    struct agpu_resource temporary = {
        .handle = device->upload_texture,
        .kind = AGPU_KIND_TEXTURE2D,
        .protocol_format = texture->protocol_format,
    };
    const struct agpu_texture_copy copy = {
        .dst = texture,
        .src = &temporary,
        .dst_index = update->subresource,
        .dst_x = rect.x,
        .dst_y = rect.y,
        .rect = {0, 0, rect.width, rect.height},
    };

    return agpu_layout_build(&temporary.layout, agpu_format_find(texture->dxgi_format), rect.width,
                             rect.height, 1, 1, update->rows.row_bytes) &&
           agpu_emit_create_texture(cmd, &temporary, AEROGPU_RESOURCE_USAGE_TEXTURE) &&
           agpu_emit_rows(cmd, temporary.handle, temporary.layout.total_bytes, update) &&
           agpu_emit_copy_texture(cmd, &copy, writeback) && agpu_emit_destroy_resource(cmd, temporary.handle);
}

/* Records the write in strips of whole rows, so that no packet exceeds the smallest command buffer. */
static bool emit_texture_strips(struct agpu_device *device, struct agpu_resource *texture,
                                const struct agpu_update *update)
{
    const uint32_t rows = update->rows.rows;
    const uint32_t fit = AGPU_UPLOAD_BYTES / update->rows.row_bytes, most = fit ? fit : 1;

    for (uint32_t row = 0; row < rows; row += most) {
        struct agpu_update strip = *update;

        strip.data += (size_t)row * update->data_pitch;
        strip.rect.y += row;
        strip.rows.rows = strip.rect.height = rows - row < most ? rows - row : most;
        if (!agpu_emit_texture_write(device, texture, &strip, false)) {
            return false;
        }
    }
    return true;
}

static bool emit_create_upload_buffer(struct agpu_device *device, uint32_t handle)
{
    const struct agpu_resource upload_buffer = {
        .handle = handle, .kind = AGPU_KIND_BUFFER, .bytes = AGPU_UPLOAD_BYTES};

    return agpu_emit_create_buffer(&device->imm.cmd, &upload_buffer, AEROGPU_RESOURCE_USAGE_NONE);
}

HRESULT agpu_stream_update(struct agpu_device *device, struct agpu_resource *resource,
                           const struct agpu_update *update)
{
    struct agpu_operation operation;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);

    if (FAILED(hr)) {
        return hr;
    }
    uint32_t upload_buffer = device->upload_buffer;
    bool recorded = agpu_track(device, resource, true);
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        recorded = recorded && emit_texture_strips(device, resource, update);
    } else {
        if (!upload_buffer) {
            upload_buffer = agpu_adapter_next_handle(device->adapter);
            recorded = recorded && emit_create_upload_buffer(device, upload_buffer);
        }
        recorded = recorded && emit_buffer_write(device, resource, update, upload_buffer);
    }
    if (!recorded) {
        return agpu_undo_operation(device, &operation);
    }
    device->upload_buffer = upload_buffer;
    resource->device_ahead = true;
    return S_OK;
}

/* Writes back through a temporary, because no resource can be copied onto itself. */
static bool emit_writeback(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                           uint64_t bytes)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    const struct agpu_words words = agpu_words_around(resource, offset, bytes);
    const struct agpu_resource temporary = {
        .handle = agpu_adapter_next_handle(device->adapter),
        .kind = AGPU_KIND_BUFFER,
        .bytes = words.bytes,
    };
    const struct agpu_buffer_copy out = {.src_offset = words.offset, .bytes = words.bytes};
    const struct agpu_buffer_copy back = {.dst_offset = words.offset, .bytes = words.bytes};

    return agpu_track(device, resource, true) &&
           agpu_emit_create_buffer(cmd, &temporary, AEROGPU_RESOURCE_USAGE_NONE) &&
           agpu_emit_copy_buffer(cmd, &out, temporary.handle, resource->handle, false) &&
           agpu_emit_copy_buffer(cmd, &back, resource->handle, temporary.handle, true) &&
           agpu_emit_destroy_resource(cmd, temporary.handle);
}

HRESULT agpu_record_writeback(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                              uint64_t bytes)
{
    if (!agpu_is_guest_backed(resource) || !agpu_gate_transfer(device->adapter)) {
        return S_OK;
    }
    HRESULT hr = agpu_track_room(device, 1);
    if (FAILED(hr)) {
        return hr;
    }
    const struct agpu_cmd_checkpoint checkpoint = agpu_cmd_checkpoint(&device->imm.cmd);
    if (emit_writeback(device, resource, offset, bytes)) {
        return S_OK;
    }
    /* Do not roll back the list: truncating it changes the epoch, which executions compare. */
    agpu_cmd_rollback(&device->imm.cmd, checkpoint);
    return E_OUTOFMEMORY;
}

HRESULT agpu_catch_up(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                      uint64_t bytes)
{
    struct agpu_operation operation;

    if (!resource->device_ahead || !agpu_is_guest_backed(resource) || agpu_mode(device) != AGPU_BACKING_WDK ||
        !agpu_gate_transfer(device->adapter)) {
        return S_OK;
    }
    HRESULT hr = agpu_begin_operation(device, 1, &operation);
    if (FAILED(hr)) {
        return hr;
    }
    return emit_writeback(device, resource, offset, bytes) ? S_OK : agpu_undo_operation(device, &operation);
}

void agpu_destroy_upload_buffer(struct agpu_device *device)
{
    if (device->upload_buffer) {
        agpu_emit_destroy_resource(&device->imm.cmd, device->upload_buffer);
    }
    device->upload_buffer = 0;
}
