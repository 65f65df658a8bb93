/* pipeline.h: pipeline state and bindings of the executor: one state for all contexts, valid until reset
 * (commands.md 2, 7 to 10). */
#ifndef VGPU_ENGINE_PIPELINE_H
#define VGPU_ENGINE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"

/* Shader stages as the model numbers them; stage and stage_ex of the packets are translated to these
 * (commands.md 4). */
enum vgpu_stage {
    VGPU_STAGE_VERTEX,
    VGPU_STAGE_PIXEL,
    VGPU_STAGE_GEOMETRY,
    VGPU_STAGE_HULL,
    VGPU_STAGE_DOMAIN,
    VGPU_STAGE_COMPUTE,
    VGPU_STAGE_COUNT
};

/* Slots (commands.md 9, 10, 15). */
#define VGPU_MAX_SRVS             128u
#define VGPU_MAX_SAMPLERS         16u
#define VGPU_MAX_CONSTANT_BUFFERS 14u
#define VGPU_MAX_UAVS             8u
#define VGPU_MAX_VERTEX_BUFFERS   32u
#define VGPU_MAX_FLOAT_CONSTANTS  4096u
#define VGPU_MAX_INT_CONSTANTS    256u
#define VGPU_MAX_BOOL_CONSTANTS   256u

/* Kind of object that a slot may hold. */
enum vgpu_slot_class {
    VGPU_SLOT_TARGET,   /* vgpu_object: texture, view */
    VGPU_SLOT_SRV,      /* vgpu_object: texture, view, buffer */
    VGPU_SLOT_UAV,      /* vgpu_object: buffer */
    VGPU_SLOT_CONSTANT, /* vgpu_object: buffer */
    VGPU_SLOT_VERTEX,   /* vgpu_object: buffer */
    VGPU_SLOT_INDEX,    /* vgpu_object: buffer */
    VGPU_SLOT_SAMPLER,  /* vgpu_sampler */
    VGPU_SLOT_SHADER,   /* vgpu_shader */
    VGPU_SLOT_LAYOUT,   /* vgpu_input_layout */
    VGPU_SLOT_CLASSES
};

/* One slot: the bound handle and its object. A handle whose thing is NULL is unresolved: it did not exist when
 * it was bound, and the draw looks it up again. */
struct vgpu_slot {
    uint32_t handle; /* 0 = nothing bound */
    void *thing;
};

/* A slot for a buffer or a part of it. */
struct vgpu_buffer_slot {
    struct vgpu_slot slot;
    uint32_t offset;
    uint32_t size;  /* 0 = rest of the buffer */
    uint32_t extra; /* vertex buffers: stride; UAVs: initial count */
};

struct vgpu_stage_state {
    struct vgpu_slot shader;
    struct vgpu_buffer_slot srvs[VGPU_MAX_SRVS];
    struct vgpu_buffer_slot uavs[VGPU_MAX_UAVS];
    struct vgpu_buffer_slot constant_buffers[VGPU_MAX_CONSTANT_BUFFERS];
    struct vgpu_slot samplers[VGPU_MAX_SAMPLERS];
    uint32_t float_constants[VGPU_MAX_FLOAT_CONSTANTS][4]; /* float bits */
    uint32_t int_constants[VGPU_MAX_INT_CONSTANTS][4];
    uint32_t bool_constants[VGPU_MAX_BOOL_CONSTANTS]; /* 0 or 1 */
};

struct vgpu_state {
    struct vgpu_stage_state stages[VGPU_STAGE_COUNT];
    struct vgpu_slot colors[AEROGPU_MAX_RENDER_TARGETS];
    struct vgpu_slot depth;
    struct vgpu_buffer_slot vertex_buffers[VGPU_MAX_VERTEX_BUFFERS];
    struct vgpu_buffer_slot index_buffer;
    uint32_t index_format; /* AEROGPU_INDEX_FORMAT_* */
    struct vgpu_slot input_layout;
    uint32_t topology;                /* AEROGPU_TOPOLOGY_* */
    struct aerogpu_blend_state blend; /* unknown values replaced (commands.md 15) */
    struct aerogpu_depth_stencil_state depth_stencil;
    struct aerogpu_rasterizer_state rasterizer;
    struct aerogpu_cmd_set_viewport viewport; /* as received; see viewport_set */
    struct aerogpu_cmd_set_scissor scissor;
    bool viewport_set;
    bool scissor_set;
    uint32_t unresolved; /* number of slots with a handle but no thing */
    uint64_t version;    /* counts changes; renderers use it for their caches */
};

#endif
