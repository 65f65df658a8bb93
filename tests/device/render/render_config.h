/* render_config.h: configuration of a renderer. */
#ifndef VGPU_TESTS_DEVICE_RENDER_CONFIG_H
#define VGPU_TESTS_DEVICE_RENDER_CONFIG_H

#include <stdint.h>

struct vgpu_render_config {
    const char *engine;     /* path of agpu-render, NULL = vgpu_worker_find */
    const char *translator; /* path of agpu-shaderc, likewise */
    /* Directory for translated shaders, NULL = none; vgpu_render_cache_dir() gives the default. */
    const char *cache_dir;
    /* Time limit for the shaders and draws of one submission; beyond it the result is BACKEND. 0 = 350 to 700,
     * depending on how fast this machine starts the drawing process. That is more than the heaviest case needs
     * with cold caches. Even with one shader translation that starts just before the limit (translate.h), the
     * fence completes within the 2 s after which a driver considers the device hung (vidmm.md 7). The start of
     * the processes is not counted. Each MiB that moves to or from the drawing process adds 16 ms: only a
     * submission that both moves more than 75 MiB and draws without end may take longer than 2 s. */
    uint32_t time_limit_ms;
    /* Receives the reason of each failure once. May be NULL. */
    void (*log)(void *ctx, const char *text);
    void *log_ctx;
};

#endif
