/* ops_cpu.c: CPU work during the execution of a list (umd.md 7.1 to 7.3, 15). It writes dynamic memory that Discard
 * renames, copies and writes bytes that are not whole units of 4, which the device cannot copy, copies between formats,
 * and reads the arguments of indirect work. */
#include "umd-port/deferred/ops_cpu.h"

#include "umd-port/base/operation.h"
#include "umd-port/base/submit.h"
#include "umd-port/draw/draw.h"
#include "umd-port/resource/copy.h"
#include "umd-port/resource/copy_cpu.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"
#include "umd-port/resource/streamed.h"
#include "umd-port/resource/update.h"

/* Writes into locked memory and records a dirty range for the device. */
static HRESULT write_locked(struct agpu_device *device, struct agpu_resource *resource,
                            const struct agpu_update *update, uint8_t *memory, struct agpu_words dirty)
{
    HRESULT hr = agpu_track_room(device, 1);

    if (FAILED(hr)) {
        return hr;
    }
    if (!agpu_track(device, resource, false) ||
        !agpu_emit_dirty_range(&device->imm.cmd, resource->handle, dirty.offset, dirty.bytes)) {
        return E_OUTOFMEMORY;
    }
    agpu_write_update(update, memory);
    return S_OK;
}

/* Writes like a Discard on the immediate context: into new memory if the old one is in use. Also right for a recorded
 * NO_OVERWRITE: its write contains all bytes since the previous Discard. */
static HRESULT write_renamed(struct agpu_device *device, struct agpu_resource *resource,
                             const struct agpu_update *update)
{
    if (agpu_is_referenced(device, resource)) {
        HRESULT hr = agpu_submit(device, NULL);

        if (FAILED(hr)) {
            return hr;
        }
    }
    D3DDDICB_LOCK lock;
    HRESULT hr = agpu_lock(device, resource, D3D10_DDI_MAP_WRITE_DISCARD, false, &lock);
    if (FAILED(hr)) {
        return hr;
    }
    hr = write_locked(device, resource, update, lock.pData,
                      (struct agpu_words){update->offset, update->bytes});
    HRESULT unlocked = agpu_unlock(device, resource);
    return FAILED(hr) ? hr : unlocked;
}

static HRESULT write_bytes(struct agpu_device *device, struct agpu_resource *resource,
                           const struct agpu_update *update)
{
    const struct agpu_words range = agpu_words_around(resource, update->rows.offset, update->rows.row_bytes);
    HRESULT hr = agpu_record_writeback(device, resource, update->rows.offset, update->rows.row_bytes);

    if (SUCCEEDED(hr) && agpu_is_referenced(device, resource)) {
        hr = agpu_submit(device, NULL);
    }
    struct agpu_cpu_view view;
    if (FAILED(hr) || FAILED(hr = agpu_cpu_open(device, resource, D3D10_DDI_MAP_WRITE, &view))) {
        return hr;
    }
    hr = write_locked(device, resource, update, view.data, range);
    agpu_cpu_close(device, resource, &view);
    return hr;
}

static HRESULT write_on_cpu(struct agpu_device *device, const struct agpu_list_body *body,
                            const struct agpu_op_write *op)
{
    struct agpu_resource *resource = agpu_referenced_resource(body, op->head.object);
    struct agpu_update update;

    if (resource->map.active) { /* on the immediate context */
        return E_FAIL;
    }
    if (!agpu_plan_write(op, resource, &update)) {
        return S_OK;
    }
    return resource->usage == D3D10_DDI_USAGE_DYNAMIC && !op->boxed ? write_renamed(device, resource, &update)
                                                                    : write_bytes(device, resource, &update);
}

static HRESULT copy_on_cpu(struct agpu_device *device, const struct agpu_list_body *body,
                           const struct agpu_op_copy *op)
{
    const struct agpu_buffer_copy bytes = {
        .dst = agpu_referenced_resource(body, op->head.object),
        .src = agpu_referenced_resource(body, op->source),
        .dst_offset = op->dst_offset,
        .src_offset = op->src_offset,
        .bytes = op->bytes,
    };

    if (bytes.dst->map.active || bytes.src->map.active) {
        return E_FAIL;
    }
    HRESULT hr = agpu_record_writeback(device, bytes.src, op->src_offset, op->bytes);
    if (SUCCEEDED(hr)) {
        hr = agpu_record_writeback(device, bytes.dst, op->dst_offset, op->bytes);
    }
    return FAILED(hr) ? hr : agpu_cpu_buffer_copy(device, &bytes);
}

static HRESULT copy_across(struct agpu_device *device, const struct agpu_list_body *body,
                           const struct agpu_op_copy_across *op)
{
    const struct agpu_texture_copy copy = {
        .dst = agpu_referenced_resource(body, op->head.object),
        .src = agpu_referenced_resource(body, op->source),
        .dst_index = op->dst_index,
        .src_index = op->src_index,
        .dst_x = op->dst_x,
        .dst_y = op->dst_y,
        .rect = {op->x, op->y, op->width, op->height},
    };

    return copy.dst->map.active || copy.src->map.active ? E_FAIL : agpu_copy_across(device, &copy);
}

/* The protocol has no indirect work, so the CPU reads the arguments, after the device has completed recorded work that
 * writes the buffer. */
static HRESULT read_arguments(struct agpu_execution *execution, const struct agpu_op_arguments *op)
{
    return agpu_read_arguments(execution->device, agpu_referenced_resource(execution->body, op->head.object),
                               op->offset, execution->arguments, op->words);
}

HRESULT agpu_execute_cpu_op(struct agpu_execution *execution, const struct agpu_op_header *op)
{
    switch (op->hdr.opcode) {
    case AGPU_OP_READ_ARGUMENTS:
        return read_arguments(execution, (const struct agpu_op_arguments *)op);
    case AGPU_OP_COPY_ON_CPU:
        return copy_on_cpu(execution->device, execution->body, (const struct agpu_op_copy *)op);
    case AGPU_OP_COPY_ACROSS:
        return copy_across(execution->device, execution->body, (const struct agpu_op_copy_across *)op);
    default: /* AGPU_OP_WRITE_ON_CPU */
        return write_on_cpu(execution->device, execution->body, (const struct agpu_op_write *)op);
    }
}
