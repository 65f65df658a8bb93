/* submission_log.h: receiver of the log of submissions (trace.h). */
#ifndef VGPU_ENGINE_SUBMISSION_LOG_H
#define VGPU_ENGINE_SUBMISSION_LOG_H

#include <stddef.h>

/* Receives one line, a JSON object with a newline, for each submission that completes and for each reset and
 * error of the ring. Called while the device works: it must not wait. */
struct vgpu_submission_log {
    void *ctx;
    void (*line)(void *ctx, const char *text, size_t length);
};

#endif
