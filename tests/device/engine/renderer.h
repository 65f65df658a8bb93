/* renderer.h: interface to a renderer. The model validates draws and passes them on with all state resolved.
 * A renderer may keep copies of resources: the model marks changed memory and asks the renderer before it
 * reads. */
#ifndef VGPU_ENGINE_RENDERER_H
#define VGPU_ENGINE_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/pipeline.h"

struct vgpu_resource;
struct vgpu_shader;

/* A validated draw. Counts are not 0; every slot that the draw uses is resolved; handles are those of
 * state. */
struct vgpu_draw {
    const struct vgpu_state *state;
    bool indexed;
    uint32_t count; /* vertices or indices */
    uint32_t instance_count;
    uint32_t first; /* vertex or index */
    int32_t base_vertex;
    uint32_t first_instance;
};

/* A validated dispatch; stage is COMPUTE unless stage_ex selected another one. */
struct vgpu_dispatch {
    const struct vgpu_state *state;
    enum vgpu_stage stage;
    uint32_t groups[3];
};

/* All callbacks are required. draw and dispatch return AEROGPU_ERROR_NONE, CMD_DECODE for unusable shaders or
 * layouts, BACKEND for a failure of the renderer. A renderer that changes a resource sets its renderer_newer;
 * the model increments version when it changes one. */
struct vgpu_renderer {
    void *ctx;
    uint32_t (*draw)(void *ctx, const struct vgpu_draw *draw);
    uint32_t (*dispatch)(void *ctx, const struct vgpu_dispatch *dispatch);
    /* Called at the end of a submission: executes everything queued. Returns BACKEND for a failure that draw
     * or dispatch did not report. */
    uint32_t (*finish)(void *ctx);
    /* Brings resource->data up to date after renderer_newer was set. */
    void (*read_back)(void *ctx, struct vgpu_resource *resource);
    /* Called before the resource or shader is freed. */
    void (*forget_resource)(void *ctx, struct vgpu_resource *resource);
    void (*forget_shader)(void *ctx, struct vgpu_shader *shader);
    /* Called after a ring or device reset has freed everything. */
    void (*reset)(void *ctx);
};

/* Memory that a renderer may use for each shader, however small; the model charges it to the guest with the
 * shader. The memory used for each resource is negligible. */
#define VGPU_RENDERER_SHADER_BYTES 8192u

#endif
