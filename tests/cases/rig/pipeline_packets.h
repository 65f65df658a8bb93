/* pipeline_packets.h: one function for each pipeline packet; they append to the rig's stream (commands.md 7-11). */
#ifndef AGPU_CASES_RIG_PIPELINE_PACKETS_H
#define AGPU_CASES_RIG_PIPELINE_PACKETS_H

#include "tests/cases/rig/resource_packets.h"
#include "tests/shaders/shaders.h"

uint32_t agpu_float_bits(float value);

/* Create a shader: of the stage in the function's name; of any stage from any bytes. */
void agpu_put_shader(struct agpu_rig *rig, uint32_t handle, const struct agpu_shader_blob *blob);
void agpu_put_shader_bytes(struct agpu_rig *rig, uint32_t handle, uint32_t stage, uint32_t stage_ex,
                           const void *bytes, uint32_t size);

/* Handles; 0 = none. */
struct agpu_stages {
    uint32_t vs, ps, gs, hs, ds, cs;
};
void agpu_put_bind_shaders(struct agpu_rig *rig, const struct agpu_stages *stages);

/* Semantics as hashes of their names (commands.md 7). */
#define AGPU_POSITION 0x7808E88Au
#define AGPU_COLOR    0xE7C308F8u
#define AGPU_TEXCOORD 0x0BC45413u

struct agpu_element {
    uint32_t semantic; /* hash */
    uint32_t index;
    uint32_t format; /* DXGI_FORMAT */
    uint32_t slot;
    uint32_t offset;
    uint32_t step; /* 0 = per vertex */
};
#define AGPU_STEP_OF_NONE UINT32_MAX /* per instance, with a step rate of 0 */
/* Create an input layout; set one, 0 = none; do both. */
void agpu_put_layout_alone(struct agpu_rig *rig, uint32_t handle, const struct agpu_element *elements,
                           uint32_t count);
void agpu_put_set_layout(struct agpu_rig *rig, uint32_t handle);
void agpu_put_layout(struct agpu_rig *rig, uint32_t handle, const struct agpu_element *elements,
                     uint32_t count);

/* Creates a device-owned buffer for every use, with these contents (NULL = zeros). */
void agpu_put_filled_buffer(struct agpu_rig *rig, uint32_t handle, const void *bytes, uint32_t size);
void agpu_put_vertex_buffer(struct agpu_rig *rig, uint32_t slot, uint32_t buffer, uint32_t stride,
                            uint32_t offset);
void agpu_put_index_buffer(struct agpu_rig *rig, uint32_t buffer, uint32_t format, uint32_t offset);
void agpu_put_topology(struct agpu_rig *rig, uint32_t topology);

/* Defaults: solid, no culling, no scissor; blending off, all channels and samples written. */
struct aerogpu_rasterizer_state *agpu_put_rasterizer(struct agpu_rig *rig);
struct aerogpu_blend_state *agpu_put_blend(struct agpu_rig *rig);
void agpu_put_depth_state(struct agpu_rig *rig, uint32_t enable, uint32_t write, uint32_t func);

/* Creates a target of one mip for all uses that its format has. */
struct aerogpu_cmd_create_texture2d *agpu_put_target(struct agpu_rig *rig, uint32_t handle, uint32_t format,
                                                     uint32_t width, uint32_t height);
/* 0 = none. */
void agpu_put_targets(struct agpu_rig *rig, uint32_t color, uint32_t depth);
void agpu_put_clear_color(struct agpu_rig *rig, float r, float g, float b, float a);
void agpu_put_clear_depth(struct agpu_rig *rig, float depth, uint32_t stencil);

struct agpu_viewport {
    float x, y, width, height, low, high;
};
void agpu_put_viewport(struct agpu_rig *rig, const struct agpu_viewport *viewport);
/* Puts everything that a draw needs except shaders, vertices and topology: a new square RGBA target, the only one
 * bound, cleared to 0; no culling, no blending, no depth; a viewport of the whole target. */
void agpu_put_plain_target(struct agpu_rig *rig, uint32_t handle, uint32_t edge);
void agpu_put_scissor(struct agpu_rig *rig, int32_t x, int32_t y, int32_t width, int32_t height);

/* A view of the first mip and layer of a texture; the caller changes the ranges. */
struct aerogpu_cmd_create_texture_view *agpu_put_view(struct agpu_rig *rig, uint32_t view, uint32_t texture,
                                                      uint32_t format);

/* Sets registers of four floats, from first on, of the stage given by stage and stage_ex; values has 16 bytes for
 * each. */
void agpu_put_registers(struct agpu_rig *rig, uint32_t stage, uint32_t stage_ex, uint32_t first,
                        uint32_t count, const void *values);

/* Bind one slot of an AEROGPU_SHADER_STAGE_*; UAVs are for compute shaders. The functions with "of" bind the whole
 * buffer to the stage given by stage and stage_ex (commands.md 4). */
void agpu_put_constants(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t buffer, uint32_t offset,
                        uint32_t size);
void agpu_put_constants_of(struct agpu_rig *rig, uint32_t stage, uint32_t stage_ex, uint32_t slot,
                           uint32_t buffer);
void agpu_put_srv(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t buffer, uint32_t offset,
                  uint32_t size);
void agpu_put_uav(struct agpu_rig *rig, uint32_t slot, uint32_t buffer, uint32_t offset, uint32_t size);
void agpu_put_uav_of(struct agpu_rig *rig, uint32_t stage, uint32_t stage_ex, uint32_t slot, uint32_t buffer);
/* Puts every packet that binds a list to the stage, and that of vertex buffers, with a count of 0: nothing changes. */
void agpu_put_empty_lists(struct agpu_rig *rig, uint32_t stage);
void agpu_put_texture_slot(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t texture);
void agpu_put_sampler_slot(struct agpu_rig *rig, uint32_t stage, uint32_t slot, uint32_t sampler);
/* Creates a sampler and sets it for pixel shaders. */
void agpu_put_sampler(struct agpu_rig *rig, uint32_t slot, uint32_t handle, uint32_t filter,
                      uint32_t address);

/* Draws one instance from the first vertex or index on; the caller changes what differs. */
struct aerogpu_cmd_draw *agpu_put_draw(struct agpu_rig *rig, uint32_t vertices);
struct aerogpu_cmd_draw_indexed *agpu_put_draw_indexed(struct agpu_rig *rig, uint32_t indices);
struct aerogpu_cmd_dispatch *agpu_put_dispatch(struct agpu_rig *rig, uint32_t x, uint32_t y, uint32_t z);

#endif
