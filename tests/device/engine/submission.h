/* submission.h: one submission from its descriptor to its fence (ring.md 3). */
#ifndef VGPU_ENGINE_SUBMISSION_H
#define VGPU_ENGINE_SUBMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/engine/alloc_table.h"
#include "tests/device/engine/stream.h"

struct vgpu_device;

struct vgpu_submission {
    bool active;                     /* begun, not ended */
    bool failed;                     /* its error has been recorded */
    bool early;                      /* the error was found before execution: never vsync-held */
    uint32_t error;                  /* of what was executed last, AEROGPU_ERROR_NONE: none */
    struct aerogpu_submit_desc desc; /* private copy, read once */
    struct vgpu_alloc_table table;
    struct vgpu_stream stream;
};

/* Validates the descriptor in submission.desc, fetches table and stream, records what is wrong with them. */
void vgpu_submission_begin(struct vgpu_device *device, uint32_t entry_stride);

/* Executes packets; false when the work budget ran out before the end of the stream. */
bool vgpu_submission_run(struct vgpu_device *device);

/* Signals the fence. vsync_paces: scanout was on when the doorbell was consumed. */
void vgpu_submission_end(struct vgpu_device *device, bool vsync_paces);

/* Engine reset: drops the submission that runs. */
void vgpu_submission_drop(struct vgpu_submission *submission);

/* Frees what the submission holds on to. */
void vgpu_submission_free(struct vgpu_submission *submission);

#endif
