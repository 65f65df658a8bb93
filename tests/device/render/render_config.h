/* render_config.h: what a renderer is created with. */
#ifndef VGPU_TESTS_DEVICE_RENDER_CONFIG_H
#define VGPU_TESTS_DEVICE_RENDER_CONFIG_H

#include <stdint.h>

struct vgpu_render_config {
    const char *engine;     /* path of agpu-render, NULL = vgpu_worker_find */
    const char *translator; /* path of agpu-shaderc, likewise */
    /* Folder for translated shaders, NULL = none; vgpu_render_cache_dir says the usual one. */
    const char *cache_dir;
    /* For what one submission needs: its shaders and all that is drawn, then BACKEND. 0 = 350 to 700, by how fast this
     * machine starts the drawing process: more than the heaviest case needs with cold caches, and with the one shader
     * that may begin just before (translate.h) the fence still completes within the 2 s after which a driver takes the
     * device for hung (vidmm.md 7). The start of the processes is not counted. */
    uint32_t time_limit_ms;
    /* Hears, once each, why nothing can be drawn or what could not be drawn. May be NULL. */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
};

#endif
