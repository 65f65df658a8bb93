/* submission.c: one submission (ring.md 3, 6, 7). */
#include "tests/device/engine/submission.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/errors.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/resource.h"

/* Returns the error to record when a descriptor has several: OOB wins (ring.md 3.1). */
static uint32_t worse_error(uint32_t a, uint32_t b)
{
    if (a == AEROGPU_ERROR_OOB || b == AEROGPU_ERROR_OOB) {
        return AEROGPU_ERROR_OOB;
    }
    return a != AEROGPU_ERROR_NONE ? a : b;
}

static uint32_t load_table(struct vgpu_engine *engine)
{
    struct vgpu_submission *submission = &engine->submission;
    const struct aerogpu_submit_desc *desc = &submission->desc;

    vgpu_alloc_table_clear(&submission->table);
    if (desc->alloc_table_gpa == 0 && desc->alloc_table_size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (desc->alloc_table_gpa == 0 || desc->alloc_table_size_bytes == 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    return vgpu_alloc_table_load(&engine->exec, &submission->table, desc->alloc_table_gpa,
                                 desc->alloc_table_size_bytes);
}

static uint32_t load_stream(struct vgpu_engine *engine)
{
    struct vgpu_submission *submission = &engine->submission;
    const struct aerogpu_submit_desc *desc = &submission->desc;

    vgpu_stream_clear(&submission->stream);
    if (desc->cmd_gpa == 0 && desc->cmd_size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (desc->cmd_gpa == 0 || desc->cmd_size_bytes == 0) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    return vgpu_stream_load(&engine->exec, &submission->stream, desc->cmd_gpa, desc->cmd_size_bytes);
}

static void fail_submission(struct vgpu_engine *engine, uint32_t error)
{
    if (!engine->submission.failed) {
        engine->submission.failed = true;
        vgpu_error_record(engine, error, engine->submission.desc.signal_fence);
    }
}

void vgpu_submission_begin(struct vgpu_engine *engine, uint32_t entry_stride)
{
    struct vgpu_submission *submission = &engine->submission;
    const uint32_t desc_size = submission->desc.desc_size_bytes;
    uint32_t error = AEROGPU_ERROR_NONE;

    engine->exec.flags = submission->desc.flags;
    submission->active = true;
    submission->failed = false;
    submission->early = false;
    if (desc_size < sizeof submission->desc || desc_size > entry_stride) {
        error = AEROGPU_ERROR_CMD_DECODE;
    }
    error = worse_error(error, load_table(engine));
    error = worse_error(error, load_stream(engine));
    if (error != AEROGPU_ERROR_NONE) {
        submission->early = true;
        vgpu_stream_clear(&submission->stream);
        fail_submission(engine, error);
    }
}

bool vgpu_submission_run(struct vgpu_engine *engine)
{
    struct vgpu_submission *submission = &engine->submission;
    const struct vgpu_renderer *renderer = engine->exec.renderer;
    bool done;

    submission->error = AEROGPU_ERROR_NONE;
    done = vgpu_stream_run(&engine->exec, &submission->stream, &submission->error);
    if (done && renderer != NULL) { /* the fence covers the draws */
        const uint32_t late = renderer->finish(renderer->ctx);

        submission->error = submission->error != AEROGPU_ERROR_NONE ? submission->error : late;
    }
    if (submission->error != AEROGPU_ERROR_NONE) {
        fail_submission(engine, submission->error);
    }
    return done;
}

void vgpu_submission_end(struct vgpu_engine *engine, bool vsync_paces)
{
    struct vgpu_submission *submission = &engine->submission;
    const bool wants_irq = (submission->desc.flags & AEROGPU_SUBMIT_FLAG_NO_IRQ) == 0;
    /* Not held if scanout was disabled while the stream ran. */
    const bool held =
        vsync_paces && submission->stream.vsync && !submission->early && engine->bus->vblank.running;

    submission->active = false;
    vgpu_fence_signal(engine, submission->desc.signal_fence, wants_irq, held);
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

void vgpu_submission_settle(struct vgpu_engine *engine)
{
    const struct vgpu_renderer *renderer = engine->exec.renderer;

    if (renderer != NULL && engine->submission.active) {
        const uint32_t failure = renderer->finish(renderer->ctx);

        if (failure != AEROGPU_ERROR_NONE) {
            fail_submission(engine, failure);
        }
    }
    for (struct vgpu_resource *resource = engine->exec.resources; resource != NULL;
         resource = resource->next) {
        vgpu_resource_touch(&engine->exec, resource);
    }
}

static const struct vgpu_field submission_fields[] = {
    VGPU_FIELD(vgpu_submission, active),
    VGPU_FIELD(vgpu_submission, failed),
    VGPU_FIELD(vgpu_submission, early),
    VGPU_FIELD(vgpu_submission, desc),
};

void vgpu_submission_visit(struct vgpu_engine *engine, struct vgpu_archive *archive)
{
    struct vgpu_submission *submission = &engine->submission;
    const struct aerogpu_submit_desc *desc = &submission->desc;

    VGPU_ARCHIVE_FIELDS(archive, submission, submission_fields);
    engine->exec.flags = desc->flags;
    if (archive->loading) {
        vgpu_archive_expect(archive, !submission->active || engine->ring.batch.remaining != 0,
                            "a batch around the submission in progress");
    }
    if (submission->active) {
        vgpu_alloc_table_visit(&submission->table, archive);
        vgpu_stream_visit(&submission->stream, archive);
    }
}
