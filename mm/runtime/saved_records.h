/* saved_records.h: state set on an immediate context; for the saved_* files only (umd.md 15). */
#ifndef AGPU_MM_RUNTIME_SAVED_RECORDS_H
#define AGPU_MM_RUNTIME_SAVED_RECORDS_H

#include "mm/runtime/types.h"
#include "mm/runtime/api.h"

#define AGPU_SAVED_STAGES    6u
#define AGPU_SAVED_RECTS_MAX 16u

/* Stages in walking order. */
enum agpu_saved_stage {
    AGPU_SAVED_VS,
    AGPU_SAVED_PS,
    AGPU_SAVED_GS,
    AGPU_SAVED_HS,
    AGPU_SAVED_DS,
    AGPU_SAVED_CS
};
/* Expands X(stage, lower-case name, name in the tables) for each stage. */
#define AGPU_SAVED_EACH_STAGE(X)                                                                             \
    X(AGPU_SAVED_VS, vs, Vs)                                                                                 \
    X(AGPU_SAVED_PS, ps, Ps)                                                                                 \
    X(AGPU_SAVED_GS, gs, Gs)                                                                                 \
    X(AGPU_SAVED_HS, hs, Hs) X(AGPU_SAVED_DS, ds, Ds) X(AGPU_SAVED_CS, cs, Cs)

/* Handles are stored as pointers: null is null in each type. */
struct agpu_saved {
    void *shaders[AGPU_SAVED_STAGES];
    void *constants[AGPU_SAVED_STAGES][AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    void *views[AGPU_SAVED_STAGES][AGPU_DDI_SHADER_RESOURCE_SLOTS];
    void *samplers[AGPU_SAVED_STAGES][AGPU_DDI_SAMPLER_SLOTS];
    void *uavs[AGPU_DDI_UAV_SLOTS];
    void *layout;
    void *vertex[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    uint32_t strides[AGPU_DDI_VERTEX_BUFFER_SLOTS], offsets[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    void *index;
    uint32_t index_format, index_offset;
    uint32_t topology; /* 0: never set */
    D3D10_DDI_VIEWPORT viewports[AGPU_SAVED_RECTS_MAX];
    D3D10_DDI_RECT scissors[AGPU_SAVED_RECTS_MAX];
    uint32_t viewport_count, scissor_count;
    void *rasterizer, *blend, *depth;
    float factor[4];
    bool has_factor, has_blend;
    uint32_t sample_mask, stencil_ref;
    void *targets[AGPU_DDI_RENDER_TARGET_SLOTS];
    uint32_t target_count;
    void *depth_view;
};

/* A live view and its resource (NULL: destroyed). */
struct agpu_saved_view {
    struct agpu_saved_view *next;
    const void *handle, *resource;
};

struct agpu_saved_state {
    struct agpu_layer layer;
    struct agpu_runtime_device *owner;
    struct agpu_api_device funcs; /* the driver's own table */
    struct agpu_api_context context;
    struct agpu_saved_view *views;
    struct agpu_saved saved;
};

/* Removes state from those that agpu_saved_state_of() searches, and frees its view records. */
void agpu_saved_state_leave(struct agpu_saved_state *state);

static inline struct agpu_saved_state *agpu_saved_state_of(D3D10DDI_HDEVICE device)
{
    return agpu_layer_of(AGPU_LAYER_SAVED_STATE, device);
}

/* Records the resource of a new view; false when memory is exhausted. */
bool agpu_saved_view_add(struct agpu_saved_state *state, const void *handle, const void *resource);
/* Forgets a destroyed object: it is no view any more, and no view's resource. */
void agpu_saved_view_forget(struct agpu_saved_state *state, const void *object);
/* Returns the resource of a view, NULL when it is unknown. */
const void *agpu_saved_view_resource(const struct agpu_saved_state *state, const void *handle);

#endif
