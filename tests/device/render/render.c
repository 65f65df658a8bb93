/* render.c: creates the renderer; its interface to the model (engine/renderer.h). */
#include "tests/device/render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/render/draw.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/render_private.h"
#include "tests/device/render/shaders.h"
#include "tests/device/render/translate.h"
#include "tests/device/render/upload.h"
#include "tests/device/render/worker.h"
#include "tests/device/shared_memory.h"

static uint32_t render_finish(void *ctx)
{
    struct vgpu_render *render = ctx;

    vgpu_engine_flush(render);
    bool failed = render->failed;
    render->failed = false;
    render->spent_ns = 0;
    return failed ? AEROGPU_ERROR_BACKEND : AEROGPU_ERROR_NONE;
}

/* Drops the draws of a submission that a reset ended. */
static void render_reset(void *ctx)
{
    struct vgpu_render *render = ctx;

    if (render->worker.pid) {
        vgpu_engine_flush(render);
    }
    render->failed = false;
    render->spent_ns = 0;
    render->state = NULL;
    memset(render->linked, 0, sizeof render->linked);
}

struct vgpu_render *vgpu_render_create(const struct vgpu_render_config *config)
{
    struct vgpu_render *render = calloc(1, sizeof *render);
    struct vgpu_translator_config translator = {.helper = config->translator, .cache_dir = config->cache_dir};

    if (render == NULL) {
        return NULL;
    }
    render->config = *config;
    render->interface = (struct vgpu_renderer){
        .ctx = render,
        .draw = vgpu_render_draw,
        .dispatch = vgpu_render_dispatch,
        .finish = render_finish,
        .read_back = vgpu_render_read_back,
        .forget_resource = vgpu_render_forget_resource,
        .forget_shader = vgpu_render_forget_shader,
        .reset = render_reset,
    };
    render->resources.limit = VGPU_WIRE_MAX_RESOURCES;
    render->shaders.limit = VGPU_WIRE_MAX_SHADERS;
    render->data_bytes = VGPU_WIRE_MESSAGE_BYTES;
    render->translator = vgpu_translator_create(&translator);
    render->shared_fd = vgpu_shared_memory_create("agpu-render", VGPU_WIRE_SHARED_BYTES);
    if (render->shared_fd >= 0) {
        void *shared =
            mmap(NULL, VGPU_WIRE_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, render->shared_fd, 0);
        render->shared = shared == MAP_FAILED ? NULL : shared;
    }
    if (render->translator == NULL || render->shared == NULL) {
        vgpu_render_destroy(render);
        return NULL;
    }
    if (vgpu_translator_not_kept(render->translator) != NULL && config->log != NULL) {
        snprintf(render->reason, sizeof render->reason, "shaders are not cached in %.400s: %s",
                 config->cache_dir, vgpu_translator_not_kept(render->translator));
        config->log(config->log_ctx, render->reason);
    }
    vgpu_worker_remember_processors(&render->worker);
    if (config->engine != NULL) {
        snprintf(render->helper, sizeof render->helper, "%s", config->engine);
    } else if (!vgpu_worker_find("agpu-render", "AGPU_RENDER", AGPU_RENDER_BUILT, render->helper,
                                 sizeof render->helper)) {
        render->helper[0] = 0;
    }
    return render;
}

void vgpu_render_destroy(struct vgpu_render *render)
{
    if (render == NULL) {
        return;
    }
    vgpu_worker_stop(&render->worker);
    vgpu_translator_destroy(render->translator);
    if (render->shared != NULL) {
        munmap(render->shared, VGPU_WIRE_SHARED_BYTES);
    }
    if (render->shared_fd >= 0) {
        close(render->shared_fd);
    }
    free(render->resources.returned);
    free(render->shaders.returned);
    free(render);
}

const struct vgpu_renderer *vgpu_render_interface(const struct vgpu_render *render)
{
    return &render->interface;
}

bool vgpu_render_ready(struct vgpu_render *render, const char **text)
{
    bool ready = vgpu_engine_start(render);

    *text = ready ? render->device : render->reason;
    return ready;
}

const char *vgpu_render_reason(const struct vgpu_render *render)
{
    return render->reason;
}

unsigned vgpu_render_programs(char paths[VGPU_RENDER_PROGRAMS][VGPU_RENDER_PATH_BYTES])
{
    unsigned count = 0;

    count += vgpu_worker_find("agpu-render", "AGPU_RENDER", AGPU_RENDER_BUILT, paths[count],
                              VGPU_RENDER_PATH_BYTES);
    count += vgpu_worker_find("agpu-shaderc", "AGPU_SHADERC", AGPU_SHADERC_BUILT, paths[count],
                              VGPU_RENDER_PATH_BYTES);
    return count;
}
