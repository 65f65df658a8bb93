/* log.h: log of the server: one line for each event, limited so that no client can flood it. */
#ifndef VGPU_TESTS_DEVICE_VFIO_LOG_H
#define VGPU_TESTS_DEVICE_VFIO_LOG_H

#include <stdint.h>

/* Maximum lines for one connection; the last one says that the rest is dropped. */
#define VGPU_VFIO_LOG_LINES 200u

struct vgpu_vfio_log {
    void (*line)(void *ctx, const char *text); /* NULL: no log. text has no newline */
    void *ctx;
    uint32_t lines; /* written since vgpu_vfio_log_restart() */
};

/* Call for a new connection: resets the limit. */
void vgpu_vfio_log_restart(struct vgpu_vfio_log *log);

__attribute__((format(printf, 2, 3))) void vgpu_vfio_log(struct vgpu_vfio_log *log, const char *format, ...);

#endif
