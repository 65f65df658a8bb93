/* submission.h: one submission from its descriptor to its fence (ring.md 3). */
#ifndef VGPU_ENGINE_SUBMISSION_H
#define VGPU_ENGINE_SUBMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/engine.h"

/* Validates the descriptor in submission.desc, fetches table and stream, and records their errors. */
void vgpu_submission_begin(struct vgpu_engine *engine, uint32_t entry_stride);

/* Executes packets; false when the work budget ran out before the end of the stream. */
bool vgpu_submission_run(struct vgpu_engine *engine);

/* Signals the fence. vsync_paces: scanout was on when the doorbell was consumed. */
void vgpu_submission_end(struct vgpu_engine *engine, bool vsync_paces);

/* Engine reset: drops the current submission. */
void vgpu_submission_drop(struct vgpu_submission *submission);

/* Frees the memory of the submission. */
void vgpu_submission_free(struct vgpu_submission *submission);

/* Executes the queued draws of the current submission and brings the contents of all resources up to date, so that the
 * state can be saved. */
void vgpu_submission_settle(struct vgpu_engine *engine);

/* Visits the current submission for save and restore. */
void vgpu_submission_visit(struct vgpu_engine *engine, struct vgpu_archive *archive);

#endif
