/* streamed.c: updates of guest-backed buffers in stream order, and their write-back (umd.md 7.1). */
#include "umd-port/resource/streamed.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/resource/copy_packets.h"
#include "umd-port/resource/packets.h"

/* Returns the end in whole words, the unit of copies; the last one may extend into the padding of the buffer. */
static uint64_t end_of_words(const struct agpu_resource *resource, uint64_t end)
{
    return end == resource->byte_width ? resource->bytes : end;
}

bool agpu_can_stream(const struct agpu_device *device, const struct agpu_resource *resource, uint64_t offset,
                     uint64_t bytes)
{
    uint64_t end = end_of_words(resource, offset + bytes);

    return resource->kind == AGPU_KIND_BUFFER && resource->usage == D3D10_DDI_USAGE_DEFAULT &&
           !resource->is_shared && !((offset | end) & 3) && end - offset <= AGPU_STREAMED_BYTES &&
           agpu_gate_transfer(device->adapter);
}

/* Creates the buffer that all updates use, one after the other: the stream keeps them in order. */
static bool emit_create_upload_buffer(struct agpu_device *device, uint32_t handle)
{
    const struct agpu_resource upload_buffer = {
        .handle = handle, .kind = AGPU_KIND_BUFFER, .bytes = AGPU_STREAMED_BYTES};

    return agpu_emit_create_buffer(&device->imm.cmd, &upload_buffer, AEROGPU_RESOURCE_USAGE_NONE);
}

HRESULT agpu_stream_update(struct agpu_device *device, struct agpu_resource *resource, uint64_t offset,
                           const void *data, size_t bytes)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    const struct agpu_buffer_copy copy = {.dst_offset = offset,
                                          .bytes = end_of_words(resource, offset + bytes) - offset};
    struct agpu_operation operation;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);

    if (FAILED(hr)) {
        return hr;
    }
    uint32_t upload_buffer =
        device->upload_buffer ? device->upload_buffer : agpu_adapter_next_handle(device->adapter);
    uint8_t *out = NULL;
    if (agpu_track(device, resource, true) &&
        (device->upload_buffer || emit_create_upload_buffer(device, upload_buffer))) {
        out = agpu_emit_upload(cmd, upload_buffer, 0, copy.bytes);
    }
    if (out != NULL) {
        memcpy(out, data, bytes);
        memset(out + bytes, 0, (size_t)copy.bytes - bytes);
    }
    if (out == NULL || !agpu_emit_copy_buffer(cmd, &copy, resource->handle, upload_buffer, false)) {
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
    uint64_t start = offset & ~(uint64_t)3, end = (offset + bytes + 3) & ~(uint64_t)3;
    const struct agpu_resource temporary = {
        .handle = agpu_adapter_next_handle(device->adapter),
        .kind = AGPU_KIND_BUFFER,
        .bytes = (end < resource->bytes ? end : resource->bytes) - start,
    };
    const struct agpu_buffer_copy out = {.src_offset = start, .bytes = temporary.bytes};
    const struct agpu_buffer_copy back = {.dst_offset = start, .bytes = temporary.bytes};

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
