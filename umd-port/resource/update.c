/* update.c: UpdateSubresource of buffers and textures, whole or boxed (umd.md 7.1). */
#include "umd-port/resource/update.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"
#include "umd-port/resource/streamed.h"

static bool plan_buffer(const struct agpu_resource *resource, uint32_t index, const D3D10_DDI_BOX *box,
                        struct agpu_update *update)
{
    uint32_t left = 0, right = resource->byte_width;

    if (box != NULL) {
        if (box->top != 0 || box->bottom != 1 || box->front != 0 || box->back != 1 || box->left < 0 ||
            box->left >= box->right || (uint32_t)box->right > resource->byte_width) {
            return false;
        }
        left = (uint32_t)box->left;
        right = (uint32_t)box->right;
    }
    if (index || left >= right) {
        return false;
    }
    update->rows = (struct agpu_byte_rows){.offset = left, .row_bytes = right - left, .rows = 1};
    update->data_pitch = update->rows.row_bytes; /* a single row needs no pitch */
    if (agpu_is_guest_backed(resource)) {
        update->offset = left;
        update->bytes = right - left;
    } else {
        update->offset = left & ~3u;
        update->bytes = (((uint64_t)right + 3) & ~(uint64_t)3) - update->offset;
    }
    return true;
}

static bool plan_texture(const struct agpu_resource *resource, uint32_t index, const D3D10_DDI_BOX *box,
                         struct agpu_update *update)
{
    struct agpu_subresource sub;
    const struct agpu_texel_rect *rect = &update->rect;

    if (!agpu_layout_subresource(&resource->layout, index, &sub) ||
        !agpu_texel_rect(&resource->layout, &sub, box, &update->rect)) {
        return false;
    }
    update->subresource = index;
    update->rows = agpu_rows_of_rect(&resource->layout, &sub, rect);
    update->pitch = sub.pitch;
    update->fill = rect->width == sub.width && rect->height == sub.height;
    update->offset = sub.offset;
    update->bytes = sub.bytes;
    /* Whole rows cover the box; for uploads the rows must be contiguous. */
    if (!update->fill && (agpu_is_guest_backed(resource) || sub.pitch == sub.row_bytes)) {
        update->offset += (uint64_t)update->rows.first_row * sub.pitch;
        update->bytes = (uint64_t)update->rows.rows * sub.pitch;
    }
    if (!update->data_pitch || update->rows.rows == 1) {
        update->data_pitch = update->rows.row_bytes;
    }
    return update->data_pitch >= update->rows.row_bytes;
}

bool agpu_plan_update(const struct agpu_resource *resource, uint32_t index, const D3D10_DDI_BOX *box,
                      struct agpu_update *update)
{
    return resource->kind == AGPU_KIND_BUFFER ? plan_buffer(resource, index, box, update)
                                              : plan_texture(resource, index, box, update);
}

void agpu_write_update(const struct agpu_update *update, uint8_t *resource_memory)
{
    uint8_t *out = resource_memory + update->rows.offset;

    if (!update->pitch) {
        memcpy(out, update->data, update->rows.row_bytes);
    } else {
        agpu_copy_rows(out, update->pitch, update->data, update->data_pitch, update->rows.row_bytes,
                       update->rows.rows, update->fill);
    }
}

HRESULT agpu_update_host(struct agpu_device *device, struct agpu_resource *resource,
                         const struct agpu_update *update)
{
    uint8_t *out = agpu_emit_upload(&device->imm.cmd, resource->handle, update->offset, update->bytes);

    if (out == NULL) {
        return E_OUTOFMEMORY;
    }
    agpu_write_update(update, resource->shadow);
    memcpy(out, resource->shadow + update->offset, (size_t)update->bytes);
    return S_OK;
}

static HRESULT update_host(struct agpu_device *device, struct agpu_resource *resource,
                           const struct agpu_update *update)
{
    HRESULT hr = agpu_upload_room(device, update->bytes);

    return FAILED(hr) ? hr : agpu_update_host(device, resource, update);
}

/* The device may have drawn beside the box, so only the written bytes are announced. Rows of a texture that only the
 * CPU writes are announced as one range, including the bytes between them. */
static bool emit_written_ranges(struct agpu_device *device, const struct agpu_resource *resource,
                                const struct agpu_update *update)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    const struct agpu_byte_rows *rows = &update->rows;

    if (agpu_mode(device) != AGPU_BACKING_WDK && resource->kind == AGPU_KIND_BUFFER) {
        return agpu_emit_dirty_range(cmd, resource->handle, 0,
                                     resource->byte_width); /* the reference driver's tests expect this */
    }
    if (agpu_mode(device) != AGPU_BACKING_WDK || update->fill || rows->rows == 1 ||
        !agpu_is_drawn(resource)) {
        return agpu_emit_dirty_range(cmd, resource->handle, update->offset, update->bytes);
    }
    for (uint32_t row = 0; row < rows->rows; row++) {
        if (!agpu_emit_dirty_range(cmd, resource->handle, rows->offset + (uint64_t)row * update->pitch,
                                   rows->row_bytes)) {
            return false;
        }
    }
    return true;
}

/* Copies a locked buffer to its shadow, which is then kept up to date. Without memory for it, the next update of parts
 * of words submits again. */
static void learn_bytes(struct agpu_device *device, struct agpu_resource *buffer, const void *memory)
{
    if (agpu_make_shadow(device, buffer)) {
        memcpy(buffer->shadow, memory, (size_t)buffer->bytes);
        buffer->shadow_current = true;
    }
}

/* Writes guest memory by the CPU. poll: DXGI_ERROR_WAS_STILL_DRAWING when it would have to wait. learn: keeps a copy of
 * the buffer's bytes. */
static HRESULT update_write_guest(struct agpu_device *device, struct agpu_resource *resource,
                                  const struct agpu_update *update, bool poll, bool learn)
{
    struct agpu_operation operation;
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);

    if (FAILED(hr) ||
        FAILED(hr = agpu_lock(device, resource, learn ? D3D10_DDI_MAP_READWRITE : D3D10_DDI_MAP_WRITE, poll,
                              &lock))) {
        return hr;
    }
    if (agpu_track(device, resource, false) && emit_written_ranges(device, resource, update)) {
        agpu_write_update(update, lock.pData);
        if (learn) {
            learn_bytes(device, resource, lock.pData);
        }
    } else {
        hr = agpu_undo_operation(device, &operation);
    }
    agpu_unlock(device, resource);
    return hr;
}

/* After a whole update guest memory is as new as the device's, unless shaders may write it at any time. */
static void note_whole_update(struct agpu_resource *resource, const struct agpu_update *update)
{
    if (!update->offset && update->bytes == resource->byte_width &&
        !(resource->bind_flags & D3D11_DDI_BIND_UNORDERED_ACCESS)) {
        resource->device_ahead = false;
    }
}

/* A small update of a resource in use goes through the stream, without submission or wait. So does an update of one
 * that the device has written, because devices may refresh more than the announced range. The first update of parts of
 * words submits: their other bytes must be known. */
static HRESULT update_memory_or_stream(struct agpu_device *device, struct agpu_resource *resource,
                                       const struct agpu_update *update)
{
    bool wdk = agpu_mode(device) == AGPU_BACKING_WDK;
    bool splits = agpu_splits_words(resource, update), learn = false;
    HRESULT hr = S_OK;

    if (wdk && agpu_can_stream(device, resource, update)) {
        bool written = resource->kind == AGPU_KIND_BUFFER ? resource->device_ahead : agpu_is_drawn(resource);
        bool in_use = written || agpu_is_referenced(device, resource);

        hr =
            in_use ? DXGI_ERROR_WAS_STILL_DRAWING : update_write_guest(device, resource, update, true, false);
        if (hr != DXGI_ERROR_WAS_STILL_DRAWING) {
            return hr;
        }
        if (!splits || resource->shadow_current) {
            return agpu_stream_update(device, resource, update);
        }
        hr = S_OK;
        learn = agpu_may_keep_bytes(resource);
    }
    if (splits) {
        hr = agpu_catch_up(device, resource, learn ? 0 : update->offset,
                           learn ? resource->byte_width : update->bytes);
    }
    /* Recorded draws must still read the old bytes, and the kernel waits only for submitted work. */
    if (SUCCEEDED(hr) && wdk && agpu_is_referenced(device, resource)) {
        hr = agpu_submit(device, NULL);
    }
    if (SUCCEEDED(hr)) {
        hr = update_write_guest(device, resource, update, false, learn);
    }
    if (SUCCEEDED(hr)) {
        note_whole_update(resource, update);
    }
    return hr;
}

static HRESULT update_guest(struct agpu_device *device, struct agpu_resource *resource,
                            const struct agpu_update *update)
{
    if (resource->shadow_current) {
        agpu_write_update(update, resource->shadow);
    }
    HRESULT hr = update_memory_or_stream(device, resource, update);
    resource->shadow_current &= SUCCEEDED(hr);
    return hr;
}

static void update_subresource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                               const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                               const char *entry)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "%s handle=%u subresource=%u", entry, resource ? resource->handle : 0, index);
    if (resource == NULL || !resource->handle) {
        return;
    }
    struct agpu_device *device = context->device;
    if (agpu_box_empty(box)) {
        return;
    }
    struct agpu_update update = {.data = data, .data_pitch = row_pitch};
    bool oom_before = device->list_oom;
    HRESULT hr;
    if (resource->map.active) {
        hr = E_FAIL;
    } else if (data == NULL || !agpu_plan_update(resource, index, box, &update)) {
        hr = E_INVALIDARG;
    } else {
        hr = agpu_is_guest_backed(resource) ? update_guest(device, resource, &update)
                                            : update_host(device, resource, &update);
    }
    if (FAILED(hr)) {
        agpu_report_unreported(context, oom_before, hr);
    }
}

void agpu_update_subresource(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                             const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                             uint32_t depth_pitch)
{
    (void)depth_pitch;
    update_subresource(device, resource, index, box, data, row_pitch, "ResourceUpdateSubresourceUP");
}

void agpu_update_constant_buffer(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                 const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                                 uint32_t depth_pitch)
{
    (void)depth_pitch;
    update_subresource(device, resource, index, box, data, row_pitch,
                       "DefaultConstantBufferUpdateSubresourceUP");
}
