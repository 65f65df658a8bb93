/* renderer.h: what executes draws: the model validates them and hands them over with all state resolved. A
 * renderer may keep copies of resources; the model says when memory changed and asks before it reads. */
#ifndef VGPU_ENGINE_RENDERER_H
#define VGPU_ENGINE_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/pipeline.h"

struct vgpu_resource;
struct vgpu_shader;

/* A validated draw. Counts are not 0; every slot that counts is resolved; handles are those of state. */
struct vgpu_draw {
    const struct vgpu_state *state;
    bool indexed;
    uint32_t count; /* vertices or indices */
    uint32_t instance_count;
    uint32_t first; /* vertex or index */
    int32_t base_vertex;
    uint32_t first_instance;
};

/* A validated dispatch; stage is COMPUTE unless stage_ex said otherwise. */
struct vgpu_dispatch {
    const struct vgpu_state *state;
    enum vgpu_stage stage;
    uint32_t groups[3];
};

/* All callbacks are required. draw and dispatch return AEROGPU_ERROR_NONE, CMD_DECODE for shaders or layouts
 * that cannot be used, BACKEND for failures of their own. What they change in a resource they announce by
 * setting its renderer_newer; what the model changes shows in its version. */
struct vgpu_renderer {
    void *ctx;
    uint32_t (*draw)(void *ctx, const struct vgpu_draw *draw);
    uint32_t (*dispatch)(void *ctx, const struct vgpu_dispatch *dispatch);
    /* A submission ends: carries out what was handed over. BACKEND when something of it failed that draw or
     * dispatch did not report. */
    uint32_t (*finish)(void *ctx);
    /* Brings resource->data up to date after renderer_newer was set. */
    void (*read_back)(void *ctx, struct vgpu_resource *resource);
    /* The resource or shader is about to be freed. */
    void (*forget_resource)(void *ctx, struct vgpu_resource *resource);
    void (*forget_shader)(void *ctx, struct vgpu_shader *shader);
    /* Everything was freed: ring or device reset. */
    void (*reset)(void *ctx);
};

/* What a renderer may keep beside a shader, however small: the model charges it to the guest with the shader.
 * Beside a resource it keeps next to nothing. */
#define VGPU_RENDERER_SHADER_BYTES 8192u

#endif
