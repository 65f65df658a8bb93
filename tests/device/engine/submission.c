/* submission.c: one submission (ring.md 3, 6, 7). */
#include "tests/device/engine/submission.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/renderer.h"

/* The error that is recorded when several faults are found in one descriptor: OOB wins (ring.md 3.1). */
static uint32_t worse_error(uint32_t a, uint32_t b)
{
    if (a == AEROGPU_ERROR_OOB || b == AEROGPU_ERROR_OOB) {
        return AEROGPU_ERROR_OOB;
    }
    return a != AEROGPU_ERROR_NONE ? a : b;
}

static uint32_t load_table(struct vgpu_device *device)
{
    struct vgpu_submission *submission = &device->submission;
    const struct aerogpu_submit_desc *desc = &submission->desc;

    vgpu_alloc_table_clear(&submission->table);
    if (desc->alloc_table_gpa == 0 && desc->alloc_table_size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (desc->alloc_table_gpa == 0 || desc->alloc_table_size_bytes == 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    return vgpu_alloc_table_load(device, &submission->table, desc->alloc_table_gpa,
                                 desc->alloc_table_size_bytes);
}

static uint32_t load_stream(struct vgpu_device *device)
{
    struct vgpu_submission *submission = &device->submission;
    const struct aerogpu_submit_desc *desc = &submission->desc;

    vgpu_stream_clear(&submission->stream);
    if (desc->cmd_gpa == 0 && desc->cmd_size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (desc->cmd_gpa == 0 || desc->cmd_size_bytes == 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    return vgpu_stream_load(device, &submission->stream, desc->cmd_gpa, desc->cmd_size_bytes);
}

static void fail_submission(struct vgpu_device *device, uint32_t error)
{
    if (!device->submission.failed) {
        device->submission.failed = true;
        vgpu_error_record(device, error, device->submission.desc.signal_fence);
    }
}

void vgpu_submission_begin(struct vgpu_device *device, uint32_t entry_stride)
{
    struct vgpu_submission *submission = &device->submission;
    const uint32_t desc_size = submission->desc.desc_size_bytes;
    uint32_t error = AEROGPU_ERROR_NONE;

    submission->active = true;
    submission->failed = false;
    submission->early = false;
    if (desc_size < sizeof submission->desc || desc_size > entry_stride) {
        error = AEROGPU_ERROR_CMD_DECODE;
    }
    error = worse_error(error, load_table(device));
    error = worse_error(error, load_stream(device));
    if (error != AEROGPU_ERROR_NONE) {
        submission->early = true;
        vgpu_stream_clear(&submission->stream);
        fail_submission(device, error);
    }
    if (device->fault == VGPU_FAULT_FENCE_EARLY) {
        vgpu_fence_signal(device, submission->desc.signal_fence,
                          (submission->desc.flags & AEROGPU_SUBMIT_FLAG_NO_IRQ) == 0, false);
    }
}

bool vgpu_submission_run(struct vgpu_device *device)
{
    struct vgpu_submission *submission = &device->submission;
    const struct vgpu_renderer *renderer = device->exec->renderer;
    bool done;

    submission->error = AEROGPU_ERROR_NONE;
    done = vgpu_stream_run(device, &submission->stream, &submission->error);
    if (done && renderer != NULL) { /* the fence covers what it draws */
        const uint32_t late = renderer->finish(renderer->ctx);

        submission->error = submission->error != AEROGPU_ERROR_NONE ? submission->error : late;
    }
    if (submission->error != AEROGPU_ERROR_NONE) {
        fail_submission(device, submission->error);
    }
    return done;
}

void vgpu_submission_end(struct vgpu_device *device, bool vsync_paces)
{
    struct vgpu_submission *submission = &device->submission;
    const bool wants_irq = (submission->desc.flags & AEROGPU_SUBMIT_FLAG_NO_IRQ) == 0;
    /* Released already if scanout went off while the stream ran. */
    const bool held = vsync_paces && submission->stream.vsync && !submission->early && device->vblank.running;

    submission->active = false;
    if (submission->failed && device->fault == VGPU_FAULT_ERROR_STOPS_FENCE) {
        return;
    }
    vgpu_fence_signal(device, submission->desc.signal_fence, wants_irq, held);
}

void vgpu_submission_drop(struct vgpu_submission *submission)
{
    submission->active = false;
    vgpu_stream_clear(&submission->stream);
    vgpu_alloc_table_clear(&submission->table);
}

void vgpu_submission_free(struct vgpu_submission *submission)
{
    vgpu_alloc_table_free(&submission->table);
    vgpu_stream_free(&submission->stream);
}
