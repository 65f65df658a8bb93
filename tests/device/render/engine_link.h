/* engine_link.h: link to the drawing process: start, messages of a batch, execution with a time limit,
 * failures. */
#ifndef VGPU_TESTS_DEVICE_RENDER_ENGINE_LINK_H
#define VGPU_TESTS_DEVICE_RENDER_ENGINE_LINK_H

#include "tests/device/render/render_private.h"

/* Records a failure as the reason and logs it, unless it repeats the previous one. Returns
 * AEROGPU_ERROR_BACKEND. */
uint32_t vgpu_render_failed(struct vgpu_render *render, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like vgpu_render_failed(), for an error of the guest: returns AEROGPU_ERROR_CMD_DECODE. */
uint32_t vgpu_render_refused(struct vgpu_render *render, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool vgpu_engine_start(struct vgpu_render *render);

/* True when the process runs and the submission may continue: nothing of it has failed and it has time
 * left. */
bool vgpu_engine_ready(struct vgpu_render *render);

/* Adds ns to the time used by the submission. */
void vgpu_engine_spend(struct vgpu_render *render, uint64_t ns);
void vgpu_engine_stop(struct vgpu_render *render);

/* Executes the batch; afterwards no state counts as sent. Failures are recorded in failed and reason. Returns
 * false when the process is gone or the data read is unusable. */
bool vgpu_engine_flush(struct vgpu_render *render);

/* Reserves space for that many bytes of messages and data in this batch, with a flush if necessary. Returns
 * true when there is space and the drawing process has not changed. Returns false when the process is not
 * running, was lost in the flush, or never has that much space. */
bool vgpu_engine_reserve(struct vgpu_render *render, uint32_t message_bytes, uint64_t data_bytes);

/* Returns a message of size bytes in reserved space, with its header set and the rest zero. */
void *vgpu_engine_message(struct vgpu_render *render, enum vgpu_wire_op op, uint32_t size);

/* Returns the offset of size bytes of data in reserved space. */
uint32_t vgpu_engine_data(struct vgpu_render *render, uint32_t size);

/* Returns the number of data bytes to reserve for size bytes. */
static inline uint64_t vgpu_engine_data_room(uint64_t size)
{
    return (size + VGPU_WIRE_DATA_ALIGN - 1) / VGPU_WIRE_DATA_ALIGN * VGPU_WIRE_DATA_ALIGN;
}

#endif
