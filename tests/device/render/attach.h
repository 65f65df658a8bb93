/* attach.h: attaches the renderer to a device, for programs that use only device.h. */
#ifndef VGPU_TESTS_DEVICE_RENDER_ATTACH_H
#define VGPU_TESTS_DEVICE_RENDER_ATTACH_H

#include <stdint.h>

struct vgpu_device;
struct vgpu_device_renderer;

/* Attaches a renderer, which executes the draws of the device from now on. Translated shaders are cached in
 * the user's cache directory. time_limit_ms: limit for the draws of one submission, 0 for the default
 * (render_config.h). log, which may be NULL, receives the reason of each failure once. Returns NULL when
 * memory is exhausted: the device then still answers draws with BACKEND. */
struct vgpu_device_renderer *vgpu_device_renderer_attach(struct vgpu_device *device, uint32_t time_limit_ms,
                                                         void (*log)(void *ctx, const char *text),
                                                         void *log_ctx);

/* Frees the renderer of a device that has been destroyed. NULL is allowed. */
void vgpu_device_renderer_free(struct vgpu_device_renderer *renderer);

#endif
