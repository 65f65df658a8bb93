/* engine_link.h: the drawing process: start, messages of a batch, execution in bounded time, failures. */
#ifndef VGPU_TESTS_DEVICE_RENDER_ENGINE_LINK_H
#define VGPU_TESTS_DEVICE_RENDER_ENGINE_LINK_H

#include "tests/device/render/render_private.h"

/* Says a failure through the log, once in a row, and keeps it as the reason. Returns
 * AEROGPU_ERROR_BACKEND. */
uint32_t vgpu_render_failed(struct vgpu_render *render, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what the guest did wrong: returns AEROGPU_ERROR_CMD_DECODE. */
uint32_t vgpu_render_refused(struct vgpu_render *render, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool vgpu_engine_start(struct vgpu_render *render);

/* The process runs, and the submission may ask for more: nothing of it failed and it has time left. */
bool vgpu_engine_ready(struct vgpu_render *render);

/* Counts so much as time of the submission. */
void vgpu_engine_spend(struct vgpu_render *render, uint64_t ns);
void vgpu_engine_stop(struct vgpu_render *render);

/* Executes what was written; afterwards nothing counts as sent. What failed in it is noted in failed and
 * reason. False when the process is gone, or no data that was read is to be believed. */
bool vgpu_engine_flush(struct vgpu_render *render);

/* Makes room for that many bytes of messages and data in this batch, by a flush if need be. True: there is
 * room, and the drawing process is the one that was there before the call. False: it is not there, it was
 * lost in the flush, or there is never so much room. */
bool vgpu_engine_reserve(struct vgpu_render *render, uint32_t message_bytes, uint64_t data_bytes);

/* A message of size bytes in room that was reserved, its header set and the rest zero. */
void *vgpu_engine_message(struct vgpu_render *render, enum vgpu_wire_op op, uint32_t size);

/* Offset of size bytes of data in room that was reserved. */
uint32_t vgpu_engine_data(struct vgpu_render *render, uint32_t size);

/* Bytes of data that a reserve of size bytes must ask for. */
static inline uint64_t vgpu_engine_data_room(uint64_t size)
{
    return (size + VGPU_WIRE_DATA_ALIGN - 1) / VGPU_WIRE_DATA_ALIGN * VGPU_WIRE_DATA_ALIGN;
}

#endif
