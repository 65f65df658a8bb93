/* The renderer's life, and its interface to the model. */
#include "tests/device/render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pci/aerogpu_pci.h"
#include "tests/device/render/render_private.h"

static uint32_t finish(void *ctx)
{
    struct agpu_render *render = ctx;
    agpu_engine_flush(render);
    bool failed = render->failed;
    render->failed = false;
    render->spent_ns = 0;
    return failed ? AEROGPU_ERROR_BACKEND : AEROGPU_ERROR_NONE;
}

/* What was drawn by a submission that a reset ended is of no interest to anyone. */
static void reset(void *ctx)
{
    struct agpu_render *render = ctx;
    if (render->worker.pid) {
        agpu_engine_flush(render);
    }
    render->failed = false;
    render->spent_ns = 0;
    render->state = NULL;
    memset(render->linked, 0, sizeof render->linked);
}

struct agpu_render *agpu_render_create(const struct agpu_render_config *config)
{
    struct agpu_render *render = calloc(1, sizeof *render);
    struct agpu_translator_config translator = {.helper = config->translator, .cache_dir = config->cache_dir};
    if (!render) {
        return NULL;
    }
    render->config = *config;
    render->interface = (struct agpu_renderer){
        .ctx = render,
        .draw = agpu_render_draw,
        .dispatch = agpu_render_dispatch,
        .finish = finish,
        .read_back = agpu_render_read_back,
        .forget_resource = agpu_render_forget_resource,
        .forget_shader = agpu_render_forget_shader,
        .reset = reset,
    };
    render->resources.limit = AGPU_WIRE_MAX_RESOURCES;
    render->shaders.limit = AGPU_WIRE_MAX_SHADERS;
    render->data_bytes = AGPU_WIRE_MESSAGE_BYTES;
    render->translator = agpu_translator_create(&translator);
    render->shared_fd = memfd_create("agpu-render", MFD_CLOEXEC);
    if (render->shared_fd >= 0 && ftruncate(render->shared_fd, AGPU_WIRE_SHARED_BYTES) == 0) {
        void *shared =
            mmap(NULL, AGPU_WIRE_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, render->shared_fd, 0);
        render->shared = shared == MAP_FAILED ? NULL : shared;
    }
    if (!render->translator || !render->shared) {
        agpu_render_destroy(render);
        return NULL;
    }
    if (config->engine) {
        snprintf(render->helper, sizeof render->helper, "%s", config->engine);
    } else if (!agpu_worker_find("agpu-render", "AGPU_RENDER", AGPU_RENDER_BUILT, render->helper,
                                 sizeof render->helper)) {
        render->helper[0] = 0;
    }
    return render;
}

void agpu_render_destroy(struct agpu_render *render)
{
    if (!render) {
        return;
    }
    agpu_worker_stop(&render->worker);
    agpu_translator_destroy(render->translator);
    if (render->shared) {
        munmap(render->shared, AGPU_WIRE_SHARED_BYTES);
    }
    if (render->shared_fd >= 0) {
        close(render->shared_fd);
    }
    free(render->resources.returned);
    free(render->shaders.returned);
    free(render);
}

const struct agpu_renderer *agpu_render_interface(const struct agpu_render *render)
{
    return &render->interface;
}

bool agpu_render_ready(struct agpu_render *render, const char **text)
{
    bool ready = agpu_engine_start(render);
    *text = ready ? render->device : render->reason;
    return ready;
}

const char *agpu_render_reason(const struct agpu_render *render)
{
    return render->reason;
}

bool agpu_render_cache_dir(char *path, uint32_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = cache && *cache ? snprintf(path, size, "%s/agpu/spirv", cache)
                 : home && *home ? snprintf(path, size, "%s/.cache/agpu/spirv", home)
                                 : -1;
    return length > 0 && (uint32_t)length < size;
}
