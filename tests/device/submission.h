/* submission.h: one submission from its descriptor to its fence (ring.md 3). */
#ifndef AGPU_TESTS_DEVICE_SUBMISSION_H
#define AGPU_TESTS_DEVICE_SUBMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/aerogpu_ring.h"
#include "tests/device/alloc_table.h"
#include "tests/device/stream.h"

struct agpu_device;

struct agpu_submission {
    bool active;                     /* begun, not ended */
    bool failed;                     /* its error has been recorded */
    bool early;                      /* the error was found before execution: never vsync-held */
    struct aerogpu_submit_desc desc; /* private copy, read once */
    struct agpu_alloc_table table;
    struct agpu_stream stream;
};

/* Validates the descriptor in submission.desc, fetches table and stream, records what is wrong with them. */
void agpu_submission_begin(struct agpu_device *device, uint32_t entry_stride);

/* Executes packets; false when the work budget ran out before the end of the stream. */
bool agpu_submission_run(struct agpu_device *device);

/* Signals the fence. vsync_paces: scanout was on when the doorbell was consumed. */
void agpu_submission_end(struct agpu_device *device, bool vsync_paces);

/* Engine reset: drops the submission that runs. */
void agpu_submission_drop(struct agpu_submission *submission);

/* Frees what the submission holds on to. */
void agpu_submission_free(struct agpu_submission *submission);

#endif
