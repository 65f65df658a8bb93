/* log.h: where the server says what happens to it: one line an event, bounded so that no client can flood
 * it. */
#ifndef VGPU_TESTS_DEVICE_VFIO_LOG_H
#define VGPU_TESTS_DEVICE_VFIO_LOG_H

#include <stdint.h>

/* Lines one connection may cause; the last one says that the rest is dropped. */
#define VGPU_VFIO_LOG_LINES 200u

struct vgpu_vfio_log {
    void (*line)(void *ctx, const char *text); /* NULL: no log. text has no line end */
    void *ctx;
    uint32_t lines; /* written since vgpu_vfio_log_restart() */
};

/* A new connection: the bound starts anew. */
void vgpu_vfio_log_restart(struct vgpu_vfio_log *log);

__attribute__((format(printf, 2, 3))) void vgpu_vfio_log(struct vgpu_vfio_log *log, const char *format, ...);

#endif
