/* work.c: clears, indirect draws, copies and ends of queries on a deferred context (umd.md 15). */
#include "umd-port/deferred/work.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/trace.h"
#include "umd-port/deferred/ops.h"
#include "umd-port/deferred/recording.h"
#include "umd-port/draw/clear.h"
#include "umd-port/resource/copy.h"
#include "umd-port/resource/copy_packets.h"

void agpu_deferred_clear_rtv(D3D10DDI_HDEVICE handle, D3D10DDI_HRENDERTARGETVIEW view_handle,
                             const float *rgba)
{
    struct agpu_deferred_context *dc = agpu_recording_of(handle);
    const struct agpu_view *view = view_handle.pDrvPrivate;

    if (dc == NULL || view == NULL || view->resource == NULL || rgba == NULL) {
        return;
    }
    agpu_clear_rtv(handle, view_handle, rgba);
    if (agpu_deferred_list_lost(dc) || ((struct agpu_local_resource *)view->resource)->guest_backed) {
        return; /* no CPU copy to clear: the device writes guest memory */
    }
    struct agpu_op_cleared *op = agpu_record_op(dc, AGPU_OP_CLEARED, sizeof *op, view->resource->handle);
    if (op == NULL) {
        return;
    }
    op->part = view->handle != 0;
    op->mip = view->first_mip;
    op->first_layer = view->first_layer;
    op->layers = view->layers;
    memcpy(op->rgba, rgba, sizeof op->rgba);
}

static void record_indirect(D3D10DDI_HDEVICE handle, const char *name, D3D10DDI_HRESOURCE arguments,
                            uint32_t opcode, uint32_t bytes, uint32_t offset)
{
    struct agpu_deferred_context *dc = agpu_recording_of(handle);
    const struct agpu_resource *buffer = arguments.pDrvPrivate;

    if (dc == NULL || buffer == NULL) {
        return;
    }
    struct agpu_context *context = &dc->recorder.imm;
    AGPU_TRACE_SET(context, "%s symbol=%u offset=%u", name, buffer->handle, offset);
    if (!buffer->handle || buffer->kind != AGPU_KIND_BUFFER || offset % 4 ||
        (uint64_t)offset + bytes > buffer->byte_width) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    HRESULT hr = agpu_deferred_split(dc);
    struct agpu_op_arguments *op = NULL;
    if (SUCCEEDED(hr)) {
        op = agpu_record_op(dc, AGPU_OP_READ_ARGUMENTS, sizeof *op, buffer->handle);
        if (op == NULL) {
            return;
        }
        op->offset = offset;
        op->words = bytes / sizeof(uint32_t);
        hr = agpu_prepare_draw(context);
    }
    if (FAILED(hr)) {
        agpu_set_error(context, hr);
    } else {
        agpu_record_op(dc, opcode, sizeof(struct agpu_op_header), buffer->handle);
    }
}

void agpu_deferred_draw_instanced_indirect(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE arguments,
                                           uint32_t offset)
{
    record_indirect(handle, "DrawInstancedIndirect", arguments, AGPU_OP_DRAW_INDIRECT, 16, offset);
}

void agpu_deferred_draw_indexed_indirect(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE arguments,
                                         uint32_t offset)
{
    record_indirect(handle, "DrawIndexedInstancedIndirect", arguments, AGPU_OP_DRAW_INDEXED_INDIRECT, 20,
                    offset);
}

void agpu_deferred_dispatch_indirect(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE arguments, uint32_t offset)
{
    record_indirect(handle, "DispatchIndirect", arguments, AGPU_OP_DISPATCH_INDIRECT, 12, offset);
}

HRESULT agpu_record_byte_copy(struct agpu_device *recorder, const struct agpu_buffer_copy *copy)
{
    struct agpu_deferred_context *dc = (struct agpu_deferred_context *)recorder;
    HRESULT hr = agpu_deferred_split(dc);

    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_op_copy *op = agpu_cmd_reserve(&recorder->imm.cmd, AGPU_OP_COPY_ON_CPU, sizeof *op);
    if (op == NULL) {
        return E_OUTOFMEMORY;
    }
    op->head.object = copy->dst->handle;
    op->source = copy->src->handle;
    op->dst_offset = copy->dst_offset;
    op->src_offset = copy->src_offset;
    op->bytes = copy->bytes;
    return S_OK;
}

HRESULT agpu_record_copy_across(struct agpu_device *recorder, const struct agpu_texture_copy *copy)
{
    HRESULT hr = agpu_deferred_split((struct agpu_deferred_context *)recorder);

    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_op_copy_across *op = agpu_cmd_reserve(&recorder->imm.cmd, AGPU_OP_COPY_ACROSS, sizeof *op);
    if (op == NULL) {
        return E_OUTOFMEMORY;
    }
    op->head.object = copy->dst->handle;
    op->source = copy->src->handle;
    op->dst_index = copy->dst_index;
    op->src_index = copy->src_index;
    op->dst_x = copy->dst_x;
    op->dst_y = copy->dst_y;
    op->x = copy->rect.x;
    op->y = copy->rect.y;
    op->width = copy->rect.width;
    op->height = copy->rect.height;
    return S_OK;
}

void agpu_deferred_query_end(D3D10DDI_HDEVICE handle, D3D10DDI_HQUERY query)
{
    struct agpu_deferred_context *dc = agpu_recording_of(handle);
    const struct agpu_local_object *local = query.pDrvPrivate;

    agpu_traced(handle, "QueryEnd");
    if (dc == NULL || local == NULL) {
        return;
    }
    if (local->symbol) {
        agpu_record_op(dc, AGPU_OP_END_QUERY, sizeof(struct agpu_op_header), local->symbol);
    } else {
        agpu_set_error(&dc->recorder.imm, E_INVALIDARG);
    }
}
