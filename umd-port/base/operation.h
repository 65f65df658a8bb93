/* operation.h: operations that are recorded completely or not at all: submits a full stream before them, reserves their
 * references, and undoes them on failure; and the preparation of every draw (umd.md 12.1, 12.2, 12.4). */
#ifndef AGPU_UMD_BASE_OPERATION_H
#define AGPU_UMD_BASE_OPERATION_H

#include "umd-port/base/track.h"

/* Makes room for count references; submits if the list is too full, or the stream is full. Call it before recording an
 * operation that tracks, so that its references and packets are in one submission. */
HRESULT agpu_track_make_room(struct agpu_device *device, uint32_t count);
static inline HRESULT agpu_track_room(struct agpu_device *device, uint32_t count)
{
    if (__builtin_expect(device->allocs.count + count > device->allocs.capacity ||
                             (device->imm.pending & AGPU_PENDING_FLUSH),
                         0)) {
        return agpu_track_make_room(device, count);
    }
    return S_OK;
}

/* Makes room for an upload of content bytes, which tracks nothing: submits a stream that is full or would be. */
HRESULT agpu_upload_make_room(struct agpu_device *device, size_t packet);
static inline HRESULT agpu_upload_room(struct agpu_device *device, uint64_t content)
{
    size_t packet = sizeof(struct aerogpu_cmd_upload_resource) + (size_t)content;

    return __builtin_expect(agpu_cmd_fits(&device->imm.cmd, packet), 1)
               ? S_OK
               : agpu_upload_make_room(device, packet);
}

/* State at the start of an operation. Code that records several packets, or packets and references, returns to it when
 * there is no room; deferred contexts do so with their recorder device. */
struct agpu_operation {
    struct agpu_cmd_checkpoint stream;
    uint32_t listed; /* entries of the allocation list */
};

/* Starts an operation without making room: the caller has room, or lists nothing. */
static inline struct agpu_operation agpu_mark_operation(const struct agpu_device *device)
{
    return (struct agpu_operation){agpu_cmd_checkpoint(&device->imm.cmd), device->allocs.count};
}

/* Makes room for the references, which may submit earlier packets, and starts an operation. */
static inline HRESULT agpu_begin_operation(struct agpu_device *device, uint32_t references,
                                           struct agpu_operation *operation)
{
    HRESULT hr = agpu_track_room(device, references);

    if (SUCCEEDED(hr)) {
        *operation = agpu_mark_operation(device);
    }
    return hr;
}

/* Removes the packets and references recorded since the start, and the writer's error. Nothing may have been submitted
 * in between. Returns E_OUTOFMEMORY, the failure of the operation. */
HRESULT agpu_undo_operation(struct agpu_device *device, const struct agpu_operation *operation);

/* Prepares a draw or dispatch: lists the bound state, submits an overgrown stream. S_OK, or the failure that the draw
 * must report instead of recording. */
HRESULT agpu_prepare_draw_slow(struct agpu_context *context);
static inline HRESULT agpu_prepare_draw(struct agpu_context *context)
{
    return __builtin_expect(context->pending != 0, 0) ? agpu_prepare_draw_slow(context) : S_OK;
}

#endif
