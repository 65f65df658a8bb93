/* fixed.c: fixed-function state as messages: targets, the fixed part of pipelines, dynamic state. */
#include "tests/device/render/fixed.h"

#include <math.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/target.h"
#include "tests/device/engine/view.h"
#include "tests/device/render/bindings.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/upload.h"

static uint32_t write_target(struct vgpu_render *render, const struct vgpu_slot *slot, bool depth,
                             struct vgpu_wire_target *out, struct vgpu_wire_targets *all)
{
    struct vgpu_target target;
    struct vgpu_object *object = slot->thing;
    const struct vgpu_view *view = (const void *)object;

    if (slot->handle == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!vgpu_target_describe(slot, depth, &target)) {
        return vgpu_render_refused(render, "a target that cannot be drawn to");
    }
    uint32_t error = vgpu_render_use(render, target.resource);
    *out = (struct vgpu_wire_target){.texture = error ? 0 : vgpu_render_number(target.resource),
                                     .format = target.format_number};
    if (object->kind == VGPU_OBJECT_VIEW) {
        out->mip = view->base_mip;
        out->layer = view->base_layer;
    }
    all->width = target.sub.width;
    all->height = target.sub.height;
    return error;
}

uint32_t vgpu_render_targets(struct vgpu_render *render, const struct vgpu_state *state,
                             struct vgpu_wire_targets *targets)
{
    uint32_t error = AEROGPU_ERROR_NONE;

    memset(targets, 0, sizeof *targets);
    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS && !error; i++) {
        error = write_target(render, &state->colors[i], false, &targets->colors[i], targets);
    }
    return error ? error : write_target(render, &state->depth, true, &targets->depth, targets);
}

uint32_t vgpu_render_pipeline(struct vgpu_render *render, const struct vgpu_state *state,
                              struct vgpu_render_shader *const stages[5], struct vgpu_wire_pipeline *pipeline)
{
    const struct aerogpu_blend_state *blend = &state->blend;

    memset(pipeline, 0, sizeof *pipeline);
    for (uint32_t i = 0; i < 5; i++) {
        pipeline->shaders[i] = stages[i] != NULL ? stages[i]->number : 0;
    }
    pipeline->topology = state->topology;
    if (blend->enable) {
        pipeline->blend_enable = 1;
        pipeline->blend[0] = blend->src_factor;
        pipeline->blend[1] = blend->dst_factor;
        pipeline->blend[2] = blend->blend_op;
        pipeline->blend[3] = blend->src_factor_alpha;
        pipeline->blend[4] = blend->dst_factor_alpha;
        pipeline->blend[5] = blend->blend_op_alpha;
    }
    pipeline->wireframe = state->rasterizer.fill_mode == AEROGPU_FILL_WIREFRAME;
    pipeline->depth_clip_disable =
        (state->rasterizer.flags & AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE) != 0;
    /* A target that the pixel shader does not write is left unchanged; in Vulkan it would become undefined. */
    const struct vgpu_render_shader *pixel = stages[VGPU_STAGE_PIXEL];
    for (uint32_t i = 0; pixel != NULL && i < pixel->dxbc.outputs.count; i++) {
        const struct vgpu_dxbc_element *output = &pixel->dxbc.outputs.elements[i];

        if (output->reg < AEROGPU_MAX_RENDER_TARGETS) {
            if (output->component_type != VGPU_DXBC_FLOAT && state->colors[output->reg].handle) {
                return vgpu_render_refused(render, "an integer output for a target that is not integer");
            }
            if (state->colors[output->reg].handle) {
                pipeline->write_masks[output->reg] = blend->color_write_mask & 0xf;
            }
        }
    }
    return AEROGPU_ERROR_NONE;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static float clamp_to_unit(float value)
{
    return value > 0 ? value < 1 ? value : 1 : 0;
}

/* Returns false for a viewport that Vulkan devices do not accept. */
static bool wire_viewport(const struct vgpu_state *state, const struct vgpu_wire_targets *targets,
                          float out[6])
{
    /* Bounds that every device supports; nothing visible lies outside. */
    const float most = 32767, largest = 16384;
    float x = float_of(state->viewport.x_f32), y = float_of(state->viewport.y_f32);
    float width = float_of(state->viewport.width_f32), height = float_of(state->viewport.height_f32);
    float low = float_of(state->viewport.min_depth_f32), high = float_of(state->viewport.max_depth_f32);
    bool given = state->viewport_set && isfinite(x) && isfinite(y) && isfinite(width) && isfinite(height) &&
                 isfinite(low) && isfinite(high) && width > 0 && height > 0;

    if (!given) {
        x = y = low = 0;
        high = 1;
        width = (float)targets->width;
        height = (float)targets->height;
    }
    out[0] = x;
    out[1] = y;
    out[2] = width;
    out[3] = height;
    out[4] = clamp_to_unit(low);
    out[5] = clamp_to_unit(high);
    return x >= -most && y >= -most && x + width <= most && y + height <= most && width <= largest &&
           height <= largest;
}

static int64_t larger_coordinate(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller_coordinate(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void wire_scissor(const struct vgpu_state *state, const struct vgpu_wire_targets *targets,
                         int32_t out[4])
{
    const struct aerogpu_cmd_set_scissor *given = &state->scissor;
    int64_t left = 0, top = 0, right = targets->width, bottom = targets->height;

    if (state->rasterizer.scissor_enable && state->scissor_set && given->width > 0 && given->height > 0) {
        left = smaller_coordinate(larger_coordinate(left, given->x), right);
        top = smaller_coordinate(larger_coordinate(top, given->y), bottom);
        right = larger_coordinate(left, smaller_coordinate(right, (int64_t)given->x + given->width));
        bottom = larger_coordinate(top, smaller_coordinate(bottom, (int64_t)given->y + given->height));
    }
    out[0] = (int32_t)left;
    out[1] = (int32_t)top;
    out[2] = (int32_t)(right - left);
    out[3] = (int32_t)(bottom - top);
}

static bool is_strip(uint32_t topology)
{
    return topology == AEROGPU_TOPOLOGY_LINESTRIP || topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP ||
           topology == AEROGPU_TOPOLOGY_LINESTRIP_ADJ || topology == AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ;
}

uint32_t vgpu_render_dynamic(struct vgpu_render *render, const struct vgpu_draw *draw,
                             const struct vgpu_wire_targets *targets, struct vgpu_wire_dynamic *dynamic)
{
    const struct vgpu_state *state = draw->state;

    memset(dynamic, 0, sizeof *dynamic);
    if (!wire_viewport(state, targets, dynamic->viewport)) {
        return vgpu_render_failed(render, "a viewport that is larger than devices can draw");
    }
    wire_scissor(state, targets, dynamic->scissor);
    for (uint32_t i = 0; i < 4; i++) {
        dynamic->blend_constant[i] = float_of(state->blend.blend_constant_rgba_f32[i]);
    }
    if (targets->depth.texture && state->depth_stencil.depth_enable) {
        dynamic->depth_test = 1;
        dynamic->depth_write = state->depth_stencil.depth_write_enable != 0;
        dynamic->depth_func = state->depth_stencil.depth_func;
    }
    dynamic->cull_mode = state->rasterizer.cull_mode;
    dynamic->front_ccw = state->rasterizer.front_ccw != 0;
    dynamic->depth_bias = state->rasterizer.depth_bias;
    dynamic->restart = draw->indexed && is_strip(state->topology);
    return AEROGPU_ERROR_NONE;
}
