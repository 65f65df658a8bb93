/* log.c: one line for each event, with a limit. */
#include "tests/device/vfio/log.h"

#include <stdarg.h>
#include <stdio.h>

void vgpu_vfio_log_restart(struct vgpu_vfio_log *log)
{
    log->lines = 0;
}

void vgpu_vfio_log(struct vgpu_vfio_log *log, const char *format, ...)
{
    char text[256];
    va_list arguments;

    if (log->line == NULL || log->lines > VGPU_VFIO_LOG_LINES) {
        return;
    }
    if (log->lines++ == VGPU_VFIO_LOG_LINES) {
        log->line(log->ctx, "further lines about this client are dropped");
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->line(log->ctx, text);
}
