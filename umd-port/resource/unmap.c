/* unmap.c: Unmap: what was written is recorded, then the memory is released (umd.md 6.5). */
#include "umd-port/resource/unmap.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/trace.h"
#include "umd-port/format/layout.h"
#include "umd-port/resource/blocks.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"

/* Copies the mapped bytes of a texture, rows of the mapping's pitch, into the resource's own layout. */
static void copy_mapped_rows(const struct agpu_resource *resource, uint8_t *out)
{
    const struct agpu_mapping *map = &resource->map;
    struct agpu_subresource region;

    if (!agpu_layout_subresource(&resource->layout, map->subresource, &region) ||
        region.pitch == map->pitch) {
        memcpy(out, map->data, (size_t)map->bytes);
        return;
    }
    agpu_copy_rows(out, region.pitch, map->data, map->pitch, region.row_bytes, region.rows, true);
}

/* Bytes of a texture's mapped region in its own layout. */
static uint64_t mapped_region_bytes(const struct agpu_resource *resource)
{
    struct agpu_subresource region;

    if (!agpu_layout_subresource(&resource->layout, resource->map.subresource, &region)) {
        return resource->bytes;
    }
    return region.bytes;
}

/* Host-owned: the bytes travel in the stream; the shadow keeps what the device will have. */
static bool upload_texture(struct agpu_device *device, struct agpu_resource *resource)
{
    const struct agpu_mapping *map = &resource->map;
    uint64_t bytes = mapped_region_bytes(resource);
    uint8_t *out = agpu_emit_upload(&device->imm.cmd, resource->handle, map->offset, bytes);

    if (out == NULL) {
        return false;
    }
    uint8_t *shadow = resource->shadow + map->offset;
    if (map->data != shadow) {
        copy_mapped_rows(resource, shadow);
    }
    memcpy(out, shadow, (size_t)bytes);
    return true;
}

static bool record_dirty_range(struct agpu_device *device, struct agpu_resource *resource)
{
    const struct agpu_mapping *map = &resource->map;

    if (map->target != NULL) {
        memcpy(map->target, map->data, (size_t)map->bytes);
    }
    struct agpu_operation operation;
    if (FAILED(agpu_begin_operation(device, 1, &operation))) {
        return false;
    }
    uint64_t bytes = resource->kind == AGPU_KIND_BUFFER ? resource->byte_width : map->bytes;
    if (agpu_track(device, resource, false) &&
        agpu_emit_dirty_range(&device->imm.cmd, resource->handle, map->offset, bytes)) {
        return true;
    }
    agpu_undo_operation(device, &operation);
    /* No packet announces these bytes to the device: restore those that it has. */
    if (resource->shadow != NULL) {
        memcpy(map->target != NULL ? map->target : map->data, resource->shadow + map->offset,
               (size_t)map->bytes);
    }
    return false;
}

static inline void finish_unmap(struct agpu_context *context, struct agpu_resource *resource, HRESULT error)
{
    bool locked = resource->map.locked;

    agpu_free_bounce(resource);
    resource->map = (struct agpu_mapping){0};
    if (locked) {
        HRESULT hr = agpu_unlock(context->device, resource);

        if (FAILED(hr) && SUCCEEDED(error)) {
            error = hr;
        }
    }
    if (FAILED(error)) {
        agpu_set_error(context, error);
    }
}

static __attribute__((noinline)) void unmap_host_buffer(struct agpu_context *context,
                                                        struct agpu_resource *resource)
{
    const size_t bytes = (size_t)resource->bytes;
    uint8_t *out = agpu_emit_upload(&context->device->imm.cmd, resource->handle, 0, bytes);

    if (out == NULL) {
        finish_unmap(context, resource, E_OUTOFMEMORY);
        return;
    }
    if (resource->map.data != resource->shadow) {
        memcpy(resource->shadow, resource->map.data, bytes);
    }
    /* Bytes past the width are padding whatever the application left there. */
    if (resource->byte_width != bytes) {
        memset(resource->shadow + resource->byte_width, 0, bytes - resource->byte_width);
    }
    memcpy(out, resource->shadow, bytes);
    finish_unmap(context, resource, S_OK);
}

static __attribute__((noinline)) void unmap_other(struct agpu_context *context,
                                                  struct agpu_resource *resource)
{
    bool oom_before = context->device->list_oom, recorded = true;

    if (resource->map.writes) {
        recorded = agpu_is_guest_backed(resource) ? record_dirty_range(context->device, resource)
                                                  : upload_texture(context->device, resource);
    }
    bool reported = recorded || agpu_list_oom_now(context->device, oom_before);
    finish_unmap(context, resource, reported ? S_OK : E_OUTOFMEMORY);
}

/* A quick mapping that ends the general way, as the general way would have made it. */
static void make_general(struct agpu_resource *resource)
{
    struct agpu_mapping *map = &resource->map;

    if (map->active > AGPU_MAPPED) {
        bool locked = map->active == AGPU_MAPPED_QUICK_LOCKED;

        *map = (struct agpu_mapping){
            .active = AGPU_MAPPED,
            .writes = 1,
            .locked = locked,
            .bytes = resource->bytes,
            .data = locked ? resource->lock.pData : resource->shadow,
        };
    }
}

static __attribute__((noinline)) void
unmap_general(struct agpu_context *context, struct agpu_resource *resource, uint32_t index, const char *entry)
{
    AGPU_TRACE_CALL(context, "%s handle=%u subresource=%u", entry, resource->handle, index);
    make_general(resource);
    if (!resource->map.active || resource->map.subresource != index) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    if (resource->kind == AGPU_KIND_BUFFER && !agpu_is_guest_backed(resource) && resource->map.writes) {
        unmap_host_buffer(context, resource);
    } else {
        unmap_other(context, resource);
    }
}

/* A quick buffer as map.c mapped it, into a stream that has room: the commonest case by far. */
static inline __attribute__((always_inline)) void unmap_quick(struct agpu_context *context,
                                                              struct agpu_resource *resource, bool locked)
{
    const size_t bytes = (size_t)resource->bytes;
    struct aerogpu_cmd_upload_resource *packet = agpu_cmd_take(&context->cmd, agpu_upload_size(bytes));
    uint8_t *out = (uint8_t *)(packet + 1);

    *packet = resource->upload;
    resource->map.active = AGPU_NOT_MAPPED;
    if (!locked) {
        agpu_copy_blocks(out, resource->shadow, bytes);
        return;
    }
    agpu_copy_blocks_twice(out, resource->shadow, resource->lock.pData, bytes);
    HRESULT hr = agpu_unlock(agpu_device_of(context), resource);
    if (__builtin_expect(FAILED(hr), 0)) {
        agpu_set_error(context, hr);
    }
}

/* Is one test enough for an Unmap of a quick buffer mapped so? */
static inline __attribute__((always_inline)) bool is_quick(const struct agpu_context *context,
                                                           const struct agpu_resource *resource,
                                                           uint32_t index, enum agpu_mapping_kind kind)
{
    return resource->map.active == kind && !index && !AGPU_TRACES(context->options, AGPU_TRACE_CALLS) &&
           agpu_cmd_fits(&context->cmd, agpu_upload_size((size_t)resource->bytes));
}

static __attribute__((noinline)) void unmap_unlocked(struct agpu_context *context,
                                                     struct agpu_resource *resource, uint32_t index,
                                                     const char *entry)
{
    if (is_quick(context, resource, index, AGPU_MAPPED_QUICK_SHADOW)) {
        unmap_quick(context, resource, false);
    } else {
        unmap_general(context, resource, index, entry);
    }
}

/* The entry points. */
#define UNMAP(function, entry)                                                                               \
    void function(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE handle, uint32_t index)                        \
    {                                                                                                        \
        struct agpu_context *context = agpu_context_of(device);                                              \
        struct agpu_resource *resource = handle.pDrvPrivate;                                                 \
                                                                                                             \
        if (__builtin_expect(context == NULL || resource == NULL, 0)) {                                      \
            return;                                                                                          \
        }                                                                                                    \
        if (__builtin_expect(is_quick(context, resource, index, AGPU_MAPPED_QUICK_LOCKED), 1)) {             \
            unmap_quick(context, resource, true);                                                            \
        } else {                                                                                             \
            unmap_unlocked(context, resource, index, entry);                                                 \
        }                                                                                                    \
    }
UNMAP(agpu_resource_unmap, "ResourceUnmap")
UNMAP(agpu_dynamic_ia_unmap, "DynamicIABufferUnmap")
UNMAP(agpu_dynamic_cb_unmap, "DynamicConstantBufferUnmap")
UNMAP(agpu_dynamic_resource_unmap, "DynamicResourceUnmap")
UNMAP(agpu_staging_unmap, "StagingResourceUnmap")
