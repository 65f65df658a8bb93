/* operation.c: room for references and uploads, undoing an operation, and the slow part of draws (umd.md 12.1, 12.2,
 * 3.4). */
#include "umd-port/base/operation.h"

#include "umd-port/base/submit.h"

HRESULT agpu_track_make_room(struct agpu_device *device, uint32_t count)
{
    HRESULT hr = agpu_submit(device, NULL);

    if (FAILED(hr)) {
        return hr;
    }
    return count <= device->allocs.capacity ? S_OK : E_OUTOFMEMORY;
}

HRESULT agpu_upload_make_room(struct agpu_device *device, size_t packet)
{
    return agpu_cmd_overflows(&device->imm.cmd, packet) ? agpu_submit(device, NULL) : S_OK;
}

HRESULT agpu_undo_operation(struct agpu_device *device, const struct agpu_operation *operation)
{
    agpu_cmd_rollback(&device->imm.cmd, operation->stream);
    agpu_alloc_list_truncate(&device->allocs, operation->listed);
    return E_OUTOFMEMORY;
}

HRESULT agpu_prepare_draw_slow(struct agpu_context *context)
{
    struct agpu_device *device = context->device;

    if (context->pending & AGPU_PENDING_FLUSH) {
        HRESULT hr = agpu_submit(device, NULL);

        if (FAILED(hr)) {
            return hr;
        }
    }
    bool oom_before = device->list_oom;
    enum agpu_track_status status = agpu_track_bound(context);
    if (status == AGPU_TRACK_NEED_FLUSH) {
        HRESULT hr = agpu_submit(device, NULL);

        if (FAILED(hr)) {
            return hr;
        }
        status = agpu_track_bound(context);
    }
    if (agpu_list_oom_now(device, oom_before)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
    switch (status) {
    case AGPU_TRACK_OK:
    case AGPU_TRACK_OUT_OF_MEMORY: /* record the draw into a submission that will fail as a whole */
        return S_OK;
    case AGPU_TRACK_NEED_FLUSH: /* the bindings alone exceed the runtime's list */
        return E_OUTOFMEMORY;
    default:
        return E_INVALIDARG;
    }
}
