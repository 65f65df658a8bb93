/* submission_log.h: who gets the lines of the log of submissions (trace.h). */
#ifndef VGPU_ENGINE_SUBMISSION_LOG_H
#define VGPU_ENGINE_SUBMISSION_LOG_H

#include <stddef.h>

/* Gets one line for each submission that completes, and for each reset and error of the ring: a JSON object
 * with a line end. Called in the middle of the device's work: it must not wait. */
struct vgpu_submission_log {
    void *ctx;
    void (*line)(void *ctx, const char *text, size_t length);
};

#endif
