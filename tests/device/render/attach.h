/* attach.h: gives a device the renderer, for programs that know the device by device.h only. */
#ifndef VGPU_TESTS_DEVICE_RENDER_ATTACH_H
#define VGPU_TESTS_DEVICE_RENDER_ATTACH_H

#include <stdint.h>

struct vgpu_device;
struct vgpu_device_renderer;

/* Draws of the device are carried out from now on; results of the shader translator are kept in the user's
 * cache folder. time_limit_ms: for what one submission draws, 0 for the usual one (render_config.h). log hears, once each, why something could not be drawn; it may be NULL. NULL when memory is
 * exhausted: the device then answers draws with BACKEND, as before. */
struct vgpu_device_renderer *vgpu_device_renderer_attach(struct vgpu_device *device, uint32_t time_limit_ms,
                                                         void (*log)(void *ctx, const char *text),
                                                         void *log_ctx);

/* Frees the renderer of a device that was destroyed before. NULL is allowed. */
void vgpu_device_renderer_free(struct vgpu_device_renderer *renderer);

#endif
