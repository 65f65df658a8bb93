/* draw.c: draws and dispatches (umd.md 11). */
#include "umd-port/draw/draw.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/trace.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/streamed.h"

static __attribute__((cold, noinline)) void report_failed_draw(struct agpu_context *context, HRESULT hr)
{
    agpu_set_error(context, hr);
}

static inline void emit_draw(struct agpu_context *context, uint32_t vertex_count, uint32_t instance_count,
                             uint32_t first_vertex, uint32_t first_instance)
{
    HRESULT hr = agpu_prepare_draw(context);

    struct aerogpu_cmd_draw *packet =
        FAILED(hr) ? NULL : agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_DRAW, sizeof *packet);
    if (packet == NULL) {
        report_failed_draw(context, FAILED(hr) ? hr : E_OUTOFMEMORY);
        return;
    }
    packet->vertex_count = vertex_count;
    packet->instance_count = instance_count;
    packet->first_vertex = first_vertex;
    packet->first_instance = first_instance;
}

static inline void emit_draw_indexed(struct agpu_context *context, uint32_t index_count,
                                     uint32_t instance_count, uint32_t first_index, int32_t base_vertex,
                                     uint32_t first_instance)
{
    HRESULT hr = agpu_prepare_draw(context);

    struct aerogpu_cmd_draw_indexed *packet =
        FAILED(hr) ? NULL : agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_DRAW_INDEXED, sizeof *packet);
    if (packet == NULL) {
        report_failed_draw(context, FAILED(hr) ? hr : E_OUTOFMEMORY);
        return;
    }
    packet->index_count = index_count;
    packet->instance_count = instance_count;
    packet->first_index = first_index;
    packet->base_vertex = base_vertex;
    packet->first_instance = first_instance;
}

void agpu_draw(D3D10DDI_HDEVICE handle, uint32_t count, uint32_t first_vertex)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "Draw count=%u first=%u", count, first_vertex);
    emit_draw(context, count, 1, first_vertex, 0);
}

void agpu_draw_indexed(D3D10DDI_HDEVICE handle, uint32_t count, uint32_t first_index, int32_t base_vertex)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "DrawIndexed count=%u first=%u base=%d", count, first_index, base_vertex);
    emit_draw_indexed(context, count, 1, first_index, base_vertex, 0);
}

void agpu_draw_instanced(D3D10DDI_HDEVICE handle, uint32_t vertex_count, uint32_t instance_count,
                         uint32_t first_vertex, uint32_t first_instance)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "DrawInstanced count=%u instances=%u first=%u first_instance=%u", vertex_count,
                   instance_count, first_vertex, first_instance);
    if (vertex_count && instance_count) {
        emit_draw(context, vertex_count, instance_count, first_vertex, first_instance);
    }
}

void agpu_draw_indexed_instanced(D3D10DDI_HDEVICE handle, uint32_t index_count, uint32_t instance_count,
                                 uint32_t first_index, int32_t base_vertex, uint32_t first_instance)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "DrawIndexedInstanced count=%u instances=%u first=%u base=%d first_instance=%u",
                   index_count, instance_count, first_index, base_vertex, first_instance);
    if (index_count && instance_count) {
        emit_draw_indexed(context, index_count, instance_count, first_index, base_vertex, first_instance);
    }
}

void agpu_draw_auto(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "DrawAuto");
    emit_draw(context, 0, 1, 0, 0);
}

static void emit_dispatch(struct agpu_context *context, uint32_t x, uint32_t y, uint32_t z)
{
    if (!x || !y || !z) {
        return;
    }
    HRESULT hr = agpu_prepare_draw(context);
    struct aerogpu_cmd_dispatch *packet =
        FAILED(hr) ? NULL : agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_DISPATCH, sizeof *packet);
    if (packet == NULL) {
        report_failed_draw(context, FAILED(hr) ? hr : E_OUTOFMEMORY);
        return;
    }
    packet->group_count_x = x;
    packet->group_count_y = y;
    packet->group_count_z = z;
    packet->reserved0 = AEROGPU_SHADER_STAGE_EX_NONE;
}

void agpu_dispatch(D3D10DDI_HDEVICE handle, uint32_t x, uint32_t y, uint32_t z)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "Dispatch %u %u %u", x, y, z);
    emit_dispatch(context, x, y, z);
}

/* The protocol has no indirect packets, so the CPU reads the arguments at the time of the call. */
HRESULT agpu_read_arguments(struct agpu_device *device, struct agpu_resource *buffer, uint32_t offset,
                            uint32_t *words, uint32_t count)
{
    uint64_t bytes = (uint64_t)count * sizeof *words;

    if (buffer == NULL || buffer->kind != AGPU_KIND_BUFFER || offset % 4 ||
        offset + bytes > buffer->byte_width) {
        return E_INVALIDARG;
    }
    HRESULT hr = agpu_catch_up(device, buffer, offset, bytes);
    if (SUCCEEDED(hr) && agpu_is_guest_backed(buffer) && agpu_mode(device) == AGPU_BACKING_WDK &&
        agpu_is_referenced(device, buffer)) {
        hr = agpu_submit(device, NULL); /* the lock below waits only for submitted work */
    }
    if (FAILED(hr)) {
        return hr;
    }
    struct agpu_cpu_view view;
    hr = agpu_cpu_open(device, buffer, D3D10_DDI_MAP_READ, &view);
    if (FAILED(hr)) {
        return hr;
    }
    memcpy(words, view.data + offset, (size_t)bytes);
    agpu_cpu_close(device, buffer, &view);
    return S_OK;
}

static void trace_indirect(const struct agpu_context *context, const char *name,
                           const struct agpu_resource *buffer, uint32_t offset)
{
    AGPU_TRACE_SET(context, "%s handle=%u offset=%u", name, buffer->handle, offset);
}

void agpu_draw_instanced_indirect(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE arguments, uint32_t offset)
{
    struct agpu_context *context = agpu_context_of(handle);
    uint32_t words[4];

    if (context == NULL || arguments.pDrvPrivate == NULL) {
        return;
    }
    trace_indirect(context, "DrawInstancedIndirect", arguments.pDrvPrivate, offset);
    HRESULT hr = agpu_read_arguments(context->device, arguments.pDrvPrivate, offset, words, 4);
    if (FAILED(hr)) {
        report_failed_draw(context, hr);
    } else if (words[0] && words[1]) {
        emit_draw(context, words[0], words[1], words[2], words[3]);
    }
}

void agpu_draw_indexed_instanced_indirect(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE arguments,
                                          uint32_t offset)
{
    struct agpu_context *context = agpu_context_of(handle);
    uint32_t words[5];

    if (context == NULL || arguments.pDrvPrivate == NULL) {
        return;
    }
    trace_indirect(context, "DrawIndexedInstancedIndirect", arguments.pDrvPrivate, offset);
    HRESULT hr = agpu_read_arguments(context->device, arguments.pDrvPrivate, offset, words, 5);
    if (FAILED(hr)) {
        report_failed_draw(context, hr);
    } else if (words[0] && words[1]) {
        emit_draw_indexed(context, words[0], words[1], words[2], (int32_t)words[3], words[4]);
    }
}

void agpu_dispatch_indirect(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE arguments, uint32_t offset)
{
    struct agpu_context *context = agpu_context_of(handle);
    uint32_t words[3];

    if (context == NULL || arguments.pDrvPrivate == NULL) {
        return;
    }
    trace_indirect(context, "DispatchIndirect", arguments.pDrvPrivate, offset);
    HRESULT hr = agpu_read_arguments(context->device, arguments.pDrvPrivate, offset, words, 3);
    if (FAILED(hr)) {
        report_failed_draw(context, hr);
    } else {
        emit_dispatch(context, words[0], words[1], words[2]);
    }
}
