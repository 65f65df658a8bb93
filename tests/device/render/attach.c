/* attach.c: attaches the renderer to a device, for front ends that know only devices. */
#include "tests/device/render/attach.h"

#include <stddef.h>
#include <stdlib.h>

#include "tests/device/device.h"
#include "tests/device/render/cache_folder.h"
#include "tests/device/render/render.h"

struct vgpu_device_renderer {
    struct vgpu_render *render;
    char cache_dir[4096];
};

struct vgpu_device_renderer *vgpu_device_renderer_attach(struct vgpu_device *device, uint32_t time_limit_ms,
                                                         void (*log)(void *ctx, const char *text),
                                                         void *log_ctx)
{
    struct vgpu_device_renderer *renderer = calloc(1, sizeof *renderer);

    if (renderer == NULL) {
        return NULL;
    }
    struct vgpu_render_config config = {.time_limit_ms = time_limit_ms, .log = log, .log_ctx = log_ctx};
    if (vgpu_render_cache_dir(renderer->cache_dir, sizeof renderer->cache_dir)) {
        config.cache_dir = renderer->cache_dir;
    }
    renderer->render = vgpu_render_create(&config);
    if (renderer->render == NULL) {
        free(renderer);
        return NULL;
    }
    vgpu_device_set_renderer(device, vgpu_render_interface(renderer->render));
    return renderer;
}

void vgpu_device_renderer_free(struct vgpu_device_renderer *renderer)
{
    if (renderer != NULL) {
        vgpu_render_destroy(renderer->render);
        free(renderer);
    }
}
