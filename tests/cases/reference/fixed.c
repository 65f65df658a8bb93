/* fixed.c: fixed-function state (commands.md 8, 9, 15). */
#include "tests/cases/reference/fixed.h"

#include <string.h>

static enum aerogpu_error take_blend(struct agpu_ref_pipeline *pipeline,
                                     const struct aerogpu_cmd_set_blend_state *cmd)
{
    const uint32_t size = cmd->hdr.size_bytes < sizeof *cmd ? cmd->hdr.size_bytes : (uint32_t)sizeof *cmd;
    const uint32_t one = 0x3F800000;
    struct aerogpu_cmd_set_blend_state full = {.state.sample_mask = UINT32_MAX};

    /* Fields beyond the end of a short packet: alpha as colour, constant 1. */
    memcpy(&full, cmd, 28);
    full.state.src_factor_alpha = full.state.src_factor;
    full.state.dst_factor_alpha = full.state.dst_factor;
    full.state.blend_op_alpha = full.state.blend_op;
    for (unsigned i = 0; i < 4; i++) {
        full.state.blend_constant_rgba_f32[i] = one;
    }
    memcpy(&full, cmd, size);
    pipeline->blend = full.state;
    return AEROGPU_ERROR_NONE;
}

static enum aerogpu_error take_raster(struct agpu_ref_pipeline *pipeline,
                                      const struct aerogpu_cmd_set_rasterizer_state *cmd)
{
    const uint32_t cull = pipeline->raster.cull_mode;

    pipeline->raster = cmd->state;
    if (cmd->state.cull_mode > AEROGPU_CULL_BACK) {
        pipeline->raster.cull_mode = cull;
    }
    return AEROGPU_ERROR_NONE;
}

/* A viewport that is not finite, or empty, is that of the whole target. */
static enum aerogpu_error take_viewport(struct agpu_ref_pipeline *pipeline,
                                        const struct aerogpu_cmd_set_viewport *cmd)
{
    const uint32_t exponent = 0x7F800000;
    bool finite = true;

    for (unsigned i = 0; i < 6; i++) {
        finite = finite && ((&cmd->x_f32)[i] & exponent) != exponent;
    }
    memcpy(pipeline->viewport, &cmd->x_f32, sizeof pipeline->viewport);
    pipeline->viewport_set = finite && pipeline->viewport[2] > 0.0f && pipeline->viewport[3] > 0.0f;
    return AEROGPU_ERROR_NONE;
}

static bool is_topology(uint32_t value)
{
    return (value >= AEROGPU_TOPOLOGY_POINTLIST && value <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
           (value >= AEROGPU_TOPOLOGY_LINELIST_ADJ && value <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ) ||
           (value >= AEROGPU_TOPOLOGY_PATCHLIST_1 && value <= AEROGPU_TOPOLOGY_PATCHLIST_32);
}

enum aerogpu_error agpu_ref_fixed(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    struct agpu_ref_pipeline *pipeline = &ref->pipeline;
    const void *packet = cmd;

    switch (cmd->opcode) {
    case AEROGPU_CMD_SET_BLEND_STATE:
        return take_blend(pipeline, packet);
    case AEROGPU_CMD_SET_DEPTH_STENCIL_STATE:
        pipeline->depth_state = ((const struct aerogpu_cmd_set_depth_stencil_state *)packet)->state;
        return AEROGPU_ERROR_NONE;
    case AEROGPU_CMD_SET_RASTERIZER_STATE:
        return take_raster(pipeline, packet);
    case AEROGPU_CMD_SET_VIEWPORT:
        return take_viewport(pipeline, packet);
    case AEROGPU_CMD_SET_SCISSOR:
        pipeline->scissor = *(const struct aerogpu_cmd_set_scissor *)packet;
        pipeline->scissor_set = pipeline->scissor.width > 0 && pipeline->scissor.height > 0;
        return AEROGPU_ERROR_NONE;
    case AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY:
        if (!is_topology(((const struct aerogpu_cmd_set_primitive_topology *)packet)->topology)) {
            return AGPU_REF_INVALID;
        }
        pipeline->topology = ((const struct aerogpu_cmd_set_primitive_topology *)packet)->topology;
        return AEROGPU_ERROR_NONE;
    default:
        return AEROGPU_ERROR_NONE;
    }
}
