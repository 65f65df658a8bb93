/* update.c: UpdateSubresource of buffers and textures, whole or boxed (umd.md 7.1). */
#include "umd-port/resource/update.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"

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
    update->data_pitch = update->rows.row_bytes; /* one row: its pitch means nothing */
    if (agpu_is_guest_backed(resource)) {
        update->offset = 0; /* the full range, also for a box: what the reference's tests require */
        update->bytes = resource->byte_width;
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
    struct agpu_texel_rect rect;

    if (!agpu_layout_subresource(&resource->layout, index, &sub) ||
        !agpu_texel_rect(&resource->layout, &sub, box, &rect)) {
        return false;
    }
    update->rows = agpu_rows_of_rect(&resource->layout, &sub, &rect);
    update->pitch = sub.pitch;
    update->fill = rect.width == sub.width && rect.height == sub.height;
    update->offset = sub.offset;
    update->bytes = sub.bytes;
    /* Whole rows cover the box; uploads need the rows to be contiguous for that. */
    if (!update->fill && (agpu_is_guest_backed(resource) || sub.pitch == sub.row_bytes)) {
        update->offset += (uint64_t)update->rows.first_row * sub.pitch;
        update->bytes = (uint64_t)update->rows.rows * sub.pitch;
    }
    if (!update->data_pitch) {
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

static HRESULT update_guest(struct agpu_device *device, struct agpu_resource *resource,
                            const struct agpu_update *update)
{
    /* Recorded draws must still read the old bytes: the kernel can only wait for what it has been given. */
    if (agpu_mode(device) == AGPU_BACKING_WDK && agpu_is_referenced(device, resource)) {
        HRESULT hr = agpu_submit(device, NULL);

        if (FAILED(hr)) {
            return hr;
        }
    }
    struct agpu_operation operation;
    HRESULT hr = agpu_begin_operation(device, 1, &operation);
    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_cpu_view view;
    hr = agpu_cpu_open(device, resource, D3D10_DDI_MAP_WRITE, &view);
    if (FAILED(hr)) {
        return hr;
    }
    if (agpu_track(device, resource, false) &&
        agpu_emit_dirty_range(&device->imm.cmd, resource->handle, update->offset, update->bytes)) {
        agpu_write_update(update, view.data);
    } else {
        hr = agpu_undo_operation(device, &operation);
    }
    agpu_cpu_close(device, resource, &view);
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
                                            : agpu_update_host(device, resource, &update);
    }
    if (FAILED(hr)) {
        agpu_report_unreported(context, oom_before, hr);
    }
}

#define UPDATE(function, entry)                                                                              \
    void function(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,                      \
                  const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch, uint32_t depth_pitch)      \
    {                                                                                                        \
        (void)depth_pitch;                                                                                   \
        update_subresource(device, resource, index, box, data, row_pitch, entry);                            \
    }
UPDATE(agpu_update_subresource, "ResourceUpdateSubresourceUP")
UPDATE(agpu_update_constant_buffer, "DefaultConstantBufferUpdateSubresourceUP")
