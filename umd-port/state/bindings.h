/* bindings.h: changes what is bound and records the packets for it. The cache always equals the stream: when
 * a packet finds no room the old binding stays (umd.md 10). */
#ifndef AGPU_UMD_STATE_BINDINGS_H
#define AGPU_UMD_STATE_BINDINGS_H

#include "umd-port/base/context.h"

struct agpu_blend_object;
struct agpu_depth_stencil_object;
struct agpu_rasterizer_object;

/* A stage as packets name it (commands.md 4). */
struct agpu_stage_code {
    uint8_t stage;    /* AEROGPU_SHADER_STAGE_* */
    uint8_t stage_ex; /* AEROGPU_SHADER_STAGE_EX_* */
};
struct agpu_stage_code agpu_stage_code(enum agpu_stage stage);

/* SET_RENDER_TARGETS and the cache. False: no room, nothing changed. */
bool agpu_bind_targets(struct agpu_context *context, const struct agpu_target_set *targets);
/* One texture or buffer view slot: SET_TEXTURE or SET_SHADER_RESOURCE_BUFFERS, and the cache. */
bool agpu_bind_view(struct agpu_context *context, enum agpu_stage stage, uint32_t slot,
                    const struct agpu_bound_view *view);
/* Empties every view slot that shares memory with resource: slot by slot, stages in order. False: no room;
 * the slots before that are empty, the others unchanged. */
bool agpu_unbind_views_of(struct agpu_context *context, const struct agpu_resource *resource);
/* Input assembler (input.c), constant buffers, samplers, unordered access (stages.c): packet and cache, false
 * without room. Counts are in range and non-zero. */
bool agpu_bind_input_layout(struct agpu_context *context, uint32_t handle);
bool agpu_bind_vertex_buffers(struct agpu_context *context, uint32_t start, uint32_t count,
                              const struct agpu_bound_vertices *vertices);
bool agpu_bind_index_buffer(struct agpu_context *context, struct agpu_resource *buffer, uint32_t format,
                            uint32_t offset);
bool agpu_bind_topology(struct agpu_context *context, uint32_t topology);
bool agpu_bind_constants(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                         const struct agpu_bound_constants *constants);
bool agpu_bind_samplers(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                        const uint32_t *handles);
bool agpu_bind_uavs(struct agpu_context *context, uint32_t start, uint32_t count,
                    const struct agpu_bound_view *views, const uint32_t *initial_counts);
/* Fixed-function state, which nothing caches (fixed.c, viewport.c): a packet with the object's state, NULL =
 * the default, no viewport, no scissor. factor4 NULL = all 1. False: no room. */
bool agpu_emit_blend(struct agpu_context *context, const struct agpu_blend_object *blend,
                     const float *factor4, uint32_t sample_mask);
bool agpu_emit_depth_stencil(struct agpu_context *context, const struct agpu_depth_stencil_object *depth);
bool agpu_emit_rasterizer(struct agpu_context *context, const struct agpu_rasterizer_object *raster);
bool agpu_emit_viewport(struct agpu_context *context, const D3D10_DDI_VIEWPORT *viewport);
bool agpu_emit_scissor(struct agpu_context *context, const D3D10_DDI_RECT *rect);
/* Empties every target that shares memory with resource: one SET_RENDER_TARGETS if any does. */
bool agpu_unbind_targets_of(struct agpu_context *context, const struct agpu_resource *resource);
/* Removes resource from everything bound, packets included as far as there is room; the caches forget it in
 * any case. False: some packet found no room. */
bool agpu_unbind_destroyed(struct agpu_context *context, struct agpu_resource *resource);

#endif
