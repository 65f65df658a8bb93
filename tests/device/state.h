/* state.h: pipeline state and bindings of the executor: one state for all contexts, kept until reset
 * (commands.md 2, 7 to 10). */
#ifndef AGPU_TESTS_DEVICE_STATE_H
#define AGPU_TESTS_DEVICE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/aerogpu_cmd.h"
#include "tests/device/resource.h"

struct agpu_exec;

/* Shader stages as the model numbers them; stage and stage_ex of the packets map to these (commands.md 4). */
enum agpu_stage {
    AGPU_STAGE_VERTEX,
    AGPU_STAGE_PIXEL,
    AGPU_STAGE_GEOMETRY,
    AGPU_STAGE_HULL,
    AGPU_STAGE_DOMAIN,
    AGPU_STAGE_COMPUTE,
    AGPU_STAGE_COUNT
};

/* Slots (commands.md 9, 10, 15). */
#define AGPU_MAX_SRVS             128u
#define AGPU_MAX_SAMPLERS         16u
#define AGPU_MAX_CONSTANT_BUFFERS 14u
#define AGPU_MAX_UAVS             8u
#define AGPU_MAX_VERTEX_BUFFERS   32u
#define AGPU_MAX_FLOAT_CONSTANTS  4096u
#define AGPU_MAX_INT_CONSTANTS    256u
#define AGPU_MAX_BOOL_CONSTANTS   256u

/* What a slot may hold. */
enum agpu_slot_class {
    AGPU_SLOT_TARGET,   /* agpu_object: texture, view */
    AGPU_SLOT_SRV,      /* agpu_object: texture, view, buffer */
    AGPU_SLOT_UAV,      /* agpu_object: buffer */
    AGPU_SLOT_CONSTANT, /* agpu_object: buffer */
    AGPU_SLOT_VERTEX,   /* agpu_object: buffer */
    AGPU_SLOT_INDEX,    /* agpu_object: buffer */
    AGPU_SLOT_SAMPLER,  /* agpu_sampler */
    AGPU_SLOT_SHADER,   /* agpu_shader */
    AGPU_SLOT_LAYOUT,   /* agpu_input_layout */
    AGPU_SLOT_CLASSES
};

/* One slot: the handle that was bound and what is behind it. A handle without thing is unresolved: it did not
 * exist when it was bound, and is looked up again at the draw. */
struct agpu_slot {
    uint32_t handle; /* 0 = nothing bound */
    void *thing;
};

/* A slot for (part of) a buffer. */
struct agpu_buffer_slot {
    struct agpu_slot slot;
    uint32_t offset;
    uint32_t size;  /* 0 = rest of the buffer */
    uint32_t extra; /* vertex buffers: stride; UAVs: initial count */
};

struct agpu_stage_state {
    struct agpu_slot shader;
    struct agpu_buffer_slot srvs[AGPU_MAX_SRVS];
    struct agpu_buffer_slot uavs[AGPU_MAX_UAVS];
    struct agpu_buffer_slot constant_buffers[AGPU_MAX_CONSTANT_BUFFERS];
    struct agpu_slot samplers[AGPU_MAX_SAMPLERS];
    uint32_t float_constants[AGPU_MAX_FLOAT_CONSTANTS][4]; /* float bits */
    uint32_t int_constants[AGPU_MAX_INT_CONSTANTS][4];
    uint32_t bool_constants[AGPU_MAX_BOOL_CONSTANTS]; /* 0 or 1 */
};

struct agpu_state {
    struct agpu_stage_state stages[AGPU_STAGE_COUNT];
    struct agpu_slot colors[AEROGPU_MAX_RENDER_TARGETS];
    struct agpu_slot depth;
    struct agpu_buffer_slot vertex_buffers[AGPU_MAX_VERTEX_BUFFERS];
    struct agpu_buffer_slot index_buffer;
    uint32_t index_format; /* AEROGPU_INDEX_FORMAT_* */
    struct agpu_slot input_layout;
    uint32_t topology;                /* AEROGPU_TOPOLOGY_* */
    struct aerogpu_blend_state blend; /* unknown values replaced (section 15) */
    struct aerogpu_depth_stencil_state depth_stencil;
    struct aerogpu_rasterizer_state rasterizer;
    struct aerogpu_cmd_set_viewport viewport; /* as received; see viewport_set */
    struct aerogpu_cmd_set_scissor scissor;
    bool viewport_set;
    bool scissor_set;
    uint32_t unresolved; /* slots with a handle and no thing */
    uint64_t version;    /* counts changes, for a renderer's caches */
};

/* Defaults before the first packet (commands.md 8, 15: as D11). Nothing is bound. */
void agpu_state_init(struct agpu_state *state);

/* Stage of a packet from its stage field and stage_ex. False = error (commands.md 4). */
bool agpu_stage_decode(uint32_t stage, uint32_t stage_ex, uint32_t minor, enum agpu_stage *out);

/* Binds handle (0 unbinds). An unknown handle, or one of another kind than the slot holds, is an error at the
 * draw; a reserved one (agpu_handle_reserved) is an error at once, which callers check before they change
 * anything. */
void agpu_slot_bind(struct agpu_exec *exec, struct agpu_slot *slot, enum agpu_slot_class class,
                    uint32_t handle);

/* Unbinds handle from every slot of the class. */
void agpu_state_unbind_handle(struct agpu_exec *exec, enum agpu_slot_class class, uint32_t handle);

/* Unbinds a resource, under any handle or view, from the slots of the class. */
void agpu_state_unbind_resource(struct agpu_exec *exec, enum agpu_slot_class class,
                                struct agpu_resource *resource);

/* A resource handle goes: unbinds it, and with dies every other name of the resource, everywhere. */
void agpu_state_forget(struct agpu_exec *exec, uint32_t handle, struct agpu_resource *resource, bool dies);

/* Looks unresolved handles up again. Returns false when one remains that the stages in stage_mask, or with
 * graphics the fixed-function slots, would use; indexed says whether the index buffer counts. */
bool agpu_state_resolve(struct agpu_exec *exec, uint32_t stage_mask, bool graphics, bool indexed);

/* The resource behind a bound object: itself, or what a view looks at. */
struct agpu_resource *agpu_object_resource(struct agpu_object *object);

#endif
