/* attach.h: gives a device the renderer, for programs that know the device by device.h only. */
#ifndef AGPU_TESTS_DEVICE_RENDER_ATTACH_H
#define AGPU_TESTS_DEVICE_RENDER_ATTACH_H

struct agpu_device;
struct agpu_device_renderer;

/* Draws of the device are carried out from now on; results of the shader translator are kept in the user's
 * cache folder. log hears, once each, why something could not be drawn; it may be NULL. NULL when memory is
 * exhausted: the device then answers draws with BACKEND, as before. */
struct agpu_device_renderer *agpu_device_renderer_attach(struct agpu_device *device,
                                                         void (*log)(void *ctx, const char *text),
                                                         void *log_ctx);

/* Frees the renderer of a device that was destroyed before. NULL is allowed. */
void agpu_device_renderer_free(struct agpu_device_renderer *renderer);

#endif
