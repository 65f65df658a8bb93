/* unmap.c: Unmap: records the written bytes, then releases the memory (umd.md 6.5). */
#include "umd-port/resource/unmap.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/trace.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"

/* Host-owned: the stream carries the bytes; the shadow holds what the device will have. */
static HRESULT record_upload(struct agpu_device *device, struct agpu_resource *resource)
{
    const struct agpu_mapping *map = &resource->map;
    const struct agpu_subresource *region = &map->region;
    uint8_t *shadow = resource->shadow + region->offset;
    HRESULT hr = agpu_upload_room(device, region->bytes);

    if (FAILED(hr)) {
        return hr;
    }
    uint8_t *out = agpu_emit_upload(&device->imm.cmd, resource->handle, region->offset, region->bytes);
    if (out == NULL) {
        return E_OUTOFMEMORY;
    }
    if (map->data != shadow) {
        agpu_copy_region(shadow, region->pitch, map->data, map->pitch, region);
    }
    /* Bytes past the width are padding, whatever the application wrote there. */
    if (resource->kind == AGPU_KIND_BUFFER && resource->byte_width != region->bytes) {
        memset(shadow + resource->byte_width, 0, (size_t)region->bytes - resource->byte_width);
    }
    memcpy(out, shadow, (size_t)region->bytes);
    return S_OK;
}

/* Guest-backed: the bytes are in place; a packet announces them to the device. */
static HRESULT record_dirty_range(struct agpu_device *device, struct agpu_resource *resource)
{
    const struct agpu_mapping *map = &resource->map;
    const uint64_t bytes = resource->kind == AGPU_KIND_BUFFER ? resource->byte_width : map->bytes;
    uint8_t *memory = map->target != NULL ? map->target : map->data;
    bool oom_before = device->list_oom;
    struct agpu_operation operation;

    if (memory != map->data) {
        memcpy(memory, map->data, (size_t)map->bytes);
    }
    HRESULT hr = agpu_begin_operation(device, 1, &operation);
    if (SUCCEEDED(hr)) {
        if (agpu_track(device, resource, false) &&
            agpu_emit_dirty_range(&device->imm.cmd, resource->handle, map->region.offset, bytes)) {
            return S_OK;
        }
        agpu_undo_operation(device, &operation);
    }
    /* No packet announces these bytes to the device, so restore those that it has. */
    if (resource->shadow != NULL) {
        memcpy(memory, resource->shadow + map->region.offset, (size_t)map->bytes);
    }
    return agpu_list_oom_now(device, oom_before) ? S_OK : E_OUTOFMEMORY; /* S_OK: already reported */
}

/* Common part of all Unmap entries. */
static void unmap_resource(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, uint32_t index,
                           const char *entry)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_resource *resource = resource_handle.pDrvPrivate;

    if (context == NULL || resource == NULL) {
        return;
    }
    struct agpu_device *device = context->device;
    AGPU_TRACE_CALL(context, "%s handle=%u subresource=%u", entry, resource->handle, index);
    if (!resource->map.active || resource->map.subresource != index) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    HRESULT hr = S_OK;
    if (resource->map.type != D3D10_DDI_MAP_READ) {
        hr = agpu_is_guest_backed(resource) ? record_dirty_range(device, resource)
                                            : record_upload(device, resource);
    }
    HRESULT ended = agpu_end_mapping(device, resource);
    if (FAILED(hr) || FAILED(ended)) {
        agpu_set_error(context, FAILED(hr) ? hr : ended);
    }
}

void agpu_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    unmap_resource(device, resource, index, "ResourceUnmap");
}

void agpu_dynamic_ia_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    unmap_resource(device, resource, index, "DynamicIABufferUnmap");
}

void agpu_dynamic_cb_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    unmap_resource(device, resource, index, "DynamicConstantBufferUnmap");
}

void agpu_dynamic_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    unmap_resource(device, resource, index, "DynamicResourceUnmap");
}

void agpu_staging_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    unmap_resource(device, resource, index, "StagingResourceUnmap");
}
