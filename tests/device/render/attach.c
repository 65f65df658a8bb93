/* The renderer for whoever knows devices only. */
#include "tests/device/render/attach.h"

#include <stddef.h>
#include <stdlib.h>

#include "tests/device/render/render.h"

struct agpu_device_renderer {
    struct agpu_render *render;
    char cache_dir[4096];
};

struct agpu_device_renderer *agpu_device_renderer_attach(struct agpu_device *device,
                                                         void (*log)(void *ctx, const char *text),
                                                         void *log_ctx)
{
    struct agpu_device_renderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) {
        return NULL;
    }
    struct agpu_render_config config = {.log = log, .log_ctx = log_ctx};
    if (agpu_render_cache_dir(renderer->cache_dir, sizeof renderer->cache_dir)) {
        config.cache_dir = renderer->cache_dir;
    }
    renderer->render = agpu_render_create(&config);
    if (!renderer->render) {
        free(renderer);
        return NULL;
    }
    agpu_device_set_renderer(device, agpu_render_interface(renderer->render));
    return renderer;
}

void agpu_device_renderer_free(struct agpu_device_renderer *renderer)
{
    if (renderer) {
        agpu_render_destroy(renderer->render);
        free(renderer);
    }
}
