/* content.c: UpdateSubresource and Map on a deferred context (umd.md 15). */
#include "umd-port/deferred/content.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/trace.h"
#include "umd-port/deferred/ops.h"
#include "umd-port/deferred/recording.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/update.h"

#define ANY_BIND      0xFFFFFFFFu
#define IA_BIND       (D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER)
#define CONSTANT_BIND D3D10_DDI_BIND_CONSTANT_BUFFER

/* Returns the deferred context and the local resource of the handles. False when one of them is invalid. */
static bool recording_and_local(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle,
                                struct agpu_deferred_context **dc, struct agpu_local_resource **local)
{
    *dc = agpu_deferred_of(handle);
    *local = resource_handle.pDrvPrivate;
    return *dc != NULL && *local != NULL && (*local)->resource.handle;
}

/* Records a write of bytes in the list's arena. */
static HRESULT record_write(struct agpu_deferred_context *dc, struct agpu_local_resource *local, bool on_cpu,
                            const struct agpu_op_write *what)
{
    HRESULT hr = on_cpu ? agpu_deferred_split(dc) : agpu_track_room(&dc->recorder, 1);

    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_op_write *op =
        agpu_cmd_reserve(&dc->recorder.imm.cmd, on_cpu ? AGPU_OP_WRITE_ON_CPU : AGPU_OP_WRITE, sizeof *op);
    /* A guest-backed resource is listed as written: a copy from a temporary writes it. A write by the CPU needs no
     * entry. */
    if (op == NULL || (!on_cpu && !agpu_track(&dc->recorder, &local->resource, true))) {
        return E_OUTOFMEMORY;
    }
    const struct aerogpu_cmd_hdr hdr = op->head.hdr;
    *op = *what;
    op->head.hdr = hdr;
    op->head.object = local->resource.handle;
    return S_OK;
}

/* True when the device can copy these bytes: it copies buffers in units of 4 bytes, and the last unit includes the
 * padding at the end of the buffer. */
static bool copies_whole_words(const struct agpu_local_resource *local, const struct agpu_byte_rows *rows)
{
    uint64_t end = rows->offset + rows->row_bytes;

    return local->resource.kind != AGPU_KIND_BUFFER || !local->guest_backed ||
           (rows->offset % 4 == 0 && (end % 4 == 0 || end == local->resource.byte_width));
}

static HRESULT record_update(struct agpu_deferred_context *dc, struct agpu_local_resource *local,
                             uint32_t index, const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch)
{
    struct agpu_update update = {.data = data, .data_pitch = row_pitch};

    if (local->resource.map.active) {
        return E_FAIL;
    }
    if (data == NULL || !agpu_plan_update(&local->resource, index, box, &update)) {
        return E_INVALIDARG;
    }
    uint64_t bytes = (uint64_t)update.rows.row_bytes * update.rows.rows;
    uint8_t *copy = agpu_arena_alloc(&dc->arena, &dc->env, (size_t)bytes);
    if (copy == NULL) {
        return E_OUTOFMEMORY;
    }
    agpu_copy_rows(copy, update.rows.row_bytes, update.data, update.data_pitch, update.rows.row_bytes,
                   update.rows.rows, false);
    struct agpu_op_write write = {
        .subresource = index,
        .boxed = box != NULL,
        .row_pitch = update.rows.row_bytes,
        .bytes = bytes,
        .data = copy,
    };
    if (box != NULL) {
        write.box = *box;
    }
    return record_write(dc, local, !copies_whole_words(local, &update.rows), &write);
}

static void record_traced_update(D3D10DDI_HDEVICE handle, const char *entry, D3D10DDI_HRESOURCE resource,
                                 uint32_t index, const D3D10_DDI_BOX *box, const void *data,
                                 uint32_t row_pitch)
{
    struct agpu_deferred_context *dc;
    struct agpu_local_resource *local;

    if (!recording_and_local(handle, resource, &dc, &local) || agpu_deferred_list_lost(dc)) {
        return;
    }
    AGPU_TRACE_CALL(&dc->recorder.imm, "%s symbol=%u subresource=%u", entry, local->resource.handle, index);
    if (agpu_box_empty(box)) {
        return;
    }
    HRESULT hr = record_update(dc, local, index, box, data, row_pitch);
    if (FAILED(hr)) {
        agpu_set_error(&dc->recorder.imm, hr);
    }
}

void agpu_deferred_update(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                          const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                          uint32_t depth_pitch)
{
    (void)depth_pitch;
    record_traced_update(device, "ResourceUpdateSubresourceUP", resource, index, box, data, row_pitch);
}

void agpu_deferred_update_constants(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                    const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,
                                    uint32_t depth_pitch)
{
    (void)depth_pitch;
    record_traced_update(device, "DefaultConstantBufferUpdateSubresourceUP", resource, index, box, data,
                         row_pitch);
}

/* Returns bytes and pitches of a map, as on the immediate context. False: no such subresource. */
static bool recorded_map_region(const struct agpu_resource *resource, uint32_t index,
                                struct agpu_subresource *region)
{
    if (resource->kind == AGPU_KIND_TEXTURE2D) {
        return agpu_layout_subresource(&resource->layout, index, region);
    }
    *region = (struct agpu_subresource){.bytes = resource->bytes};
    return resource->kind == AGPU_KIND_BUFFER && index == 0 && resource->byte_width;
}

/* Allocates memory for a map; zeroed for a discard, as on the immediate context. NO_OVERWRITE gets a copy of the
 * earlier bytes, because recorded bytes must not change. */
static uint8_t *alloc_map_memory(struct agpu_deferred_context *dc, const struct agpu_local_resource *local,
                                 const struct agpu_subresource *region, bool discard)
{
    uint8_t *memory = agpu_arena_alloc(&dc->arena, &dc->env, (size_t)region->bytes);

    if (memory == NULL) {
        return NULL;
    }
    if (discard) {
        memset(memory, 0, (size_t)region->bytes);
    } else {
        memcpy(memory, local->discarded, (size_t)region->bytes);
    }
    return memory;
}

static HRESULT map_local(struct agpu_deferred_context *dc, struct agpu_local_resource *local, uint32_t index,
                         uint32_t bind, uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_resource *resource = &local->resource;
    struct agpu_subresource region;
    bool discard = type == D3D10_DDI_MAP_WRITE_DISCARD;

    if (out == NULL || (flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT)) {
        return E_INVALIDARG;
    }
    if (resource->map.active) {
        return E_FAIL;
    }
    if ((!discard && type != D3D10_DDI_MAP_WRITE_NOOVERWRITE) ||
        (bind != ANY_BIND && (!(resource->bind_flags & bind) || resource->kind != AGPU_KIND_BUFFER)) ||
        resource->usage != D3D10_DDI_USAGE_DYNAMIC || !(resource->cpu_access & D3D10_DDI_CPU_ACCESS_WRITE) ||
        !recorded_map_region(resource, index, &region)) {
        return E_INVALIDARG;
    }
    if (!discard && (local->discarded_list != dc->list_number || local->discarded_subresource != index)) {
        return E_INVALIDARG;
    }
    uint8_t *memory = alloc_map_memory(dc, local, &region, discard);
    if (memory == NULL) {
        return E_OUTOFMEMORY;
    }
    local->discarded = memory;
    local->discarded_list = dc->list_number;
    local->discarded_subresource = index;
    resource->map = (struct agpu_mapping){.active = true,
                                          .type = type,
                                          .subresource = index,
                                          .pitch = region.pitch,
                                          .bytes = region.bytes,
                                          .data = memory};
    dc->open_maps++;
    *out = (D3D10DDI_MAPPED_SUBRESOURCE){
        .pData = memory, .RowPitch = region.pitch, .DepthPitch = region.pitch ? (uint32_t)region.bytes : 0};
    return S_OK;
}

static void map_for_bind(D3D10DDI_HDEVICE handle, const char *entry, D3D10DDI_HRESOURCE resource,
                         uint32_t index, uint32_t bind, uint32_t type, uint32_t flags,
                         D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_deferred_context *dc;
    struct agpu_local_resource *local;

    if (!recording_and_local(handle, resource, &dc, &local)) {
        agpu_report(agpu_context_of(handle), E_INVALIDARG);
        return;
    }
    HRESULT hr =
        agpu_deferred_list_lost(dc) ? E_OUTOFMEMORY : map_local(dc, local, index, bind, type, flags, out);
    AGPU_TRACE_CALL(&dc->recorder.imm, "%s symbol=%u type=%u -> hr=0x%X", entry, local->resource.handle, type,
                    (unsigned)hr);
    agpu_deferred_report(dc, hr);
}

void agpu_deferred_map(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource, uint32_t index, uint32_t type,
                       uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    map_for_bind(handle, "ResourceMap", resource, index, ANY_BIND, type, flags, out);
}

void agpu_deferred_ia_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                              uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    map_for_bind(device, "DynamicIABufferMapDiscard", resource, index, IA_BIND, D3D10_DDI_MAP_WRITE_DISCARD,
                 flags, out);
}

void agpu_deferred_ia_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                   uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    map_for_bind(device, "DynamicIABufferMapNoOverwrite", resource, index, IA_BIND,
                 D3D10_DDI_MAP_WRITE_NOOVERWRITE, flags, out);
}

void agpu_deferred_cb_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                              uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    map_for_bind(device, "DynamicConstantBufferMapDiscard", resource, index, CONSTANT_BIND,
                 D3D10_DDI_MAP_WRITE_DISCARD, flags, out);
}

void agpu_deferred_cb_no_overwrite(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                   uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    map_for_bind(device, "DynamicConstantBufferMapNoOverwrite", resource, index, CONSTANT_BIND,
                 D3D10_DDI_MAP_WRITE_NOOVERWRITE, flags, out);
}

void agpu_deferred_resource_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                                    uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    map_for_bind(device, "DynamicResourceMapDiscard", resource, index, ANY_BIND, D3D10_DDI_MAP_WRITE_DISCARD,
                 flags, out);
}

void agpu_deferred_staging_map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index,
                               uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)type;
    map_for_bind(device, "StagingResourceMap", resource, index, ANY_BIND, D3D10_DDI_MAP_READ, flags, out);
}

static void record_unmap(D3D10DDI_HDEVICE handle, const char *entry, D3D10DDI_HRESOURCE resource_handle,
                         uint32_t index)
{
    struct agpu_deferred_context *dc;
    struct agpu_local_resource *local;

    if (!recording_and_local(handle, resource_handle, &dc, &local)) {
        return;
    }
    AGPU_TRACE_CALL(&dc->recorder.imm, "%s symbol=%u subresource=%u", entry, local->resource.handle, index);
    const struct agpu_mapping mapping = local->resource.map;
    if (!mapping.active || mapping.subresource != index) {
        agpu_set_error(&dc->recorder.imm, E_INVALIDARG);
        return;
    }
    local->resource.map = (struct agpu_mapping){0};
    dc->open_maps--;
    if (agpu_deferred_list_lost(dc)) {
        return;
    }
    const struct agpu_op_write write = {
        .subresource = index, .row_pitch = mapping.pitch, .bytes = mapping.bytes, .data = mapping.data};
    /* The CPU writes memory that Discard renames: the immediate context maps it again without waiting, while the device
     * would still be writing. */
    bool renamed = local->guest_backed && agpu_mode(&dc->recorder) == AGPU_BACKING_WDK;
    HRESULT hr = record_write(dc, local, renamed, &write);
    if (FAILED(hr)) {
        agpu_set_error(&dc->recorder.imm, hr);
    }
}

void agpu_deferred_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    record_unmap(device, "ResourceUnmap", resource, index);
}

void agpu_deferred_ia_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    record_unmap(device, "DynamicIABufferUnmap", resource, index);
}

void agpu_deferred_cb_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    record_unmap(device, "DynamicConstantBufferUnmap", resource, index);
}

void agpu_deferred_resource_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    record_unmap(device, "DynamicResourceUnmap", resource, index);
}

void agpu_deferred_staging_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t index)
{
    record_unmap(device, "StagingResourceUnmap", resource, index);
}
