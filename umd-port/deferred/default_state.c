/* default_state.c: the state in which a command list starts, and which it leaves (umd.md 15). */
#include "umd-port/deferred/default_state.h"

#include <string.h>

#include "umd-port/base/device.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/stages.h"
#include "umd-port/state/viewport.h"

static bool clear_stage(struct agpu_context *context, enum agpu_stage stage)
{
    static const struct agpu_bound_view nothing;
    static const struct agpu_bound_constants constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    static const uint32_t samplers[AGPU_DDI_SAMPLER_SLOTS];
    struct agpu_stage_state *state = &context->stages[stage];

    for (uint32_t slot = state->view_top; slot-- > 0;) {
        if (state->views[slot].resource != NULL && !agpu_bind_view(context, stage, slot, &nothing)) {
            return false;
        }
    }
    if (state->constant_top && !agpu_bind_constants(context, stage, 0, state->constant_top, constants)) {
        return false;
    }
    uint32_t top = AGPU_DDI_SAMPLER_SLOTS;
    while (top && !state->samplers[top - 1]) {
        top--;
    }
    return !top || agpu_bind_samplers(context, stage, 0, top, samplers);
}

static bool clear_input(struct agpu_context *context)
{
    static const struct agpu_bound_vertices vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS];

    return (!context->input_layout || agpu_bind_input_layout(context, 0)) &&
           (context->topology == AEROGPU_TOPOLOGY_TRIANGLELIST ||
            agpu_bind_topology(context, AEROGPU_TOPOLOGY_TRIANGLELIST)) &&
           (!context->vertex_top || agpu_bind_vertex_buffers(context, 0, context->vertex_top, vertices)) &&
           (context->index_buffer == NULL ||
            agpu_bind_index_buffer(context, NULL, AEROGPU_INDEX_FORMAT_UINT16, 0));
}

static bool clear_outputs(struct agpu_context *context)
{
    static const struct agpu_bound_view uavs[AGPU_DDI_UAV_SLOTS];
    static const struct agpu_target_set targets;
    static const struct agpu_shader_handles shaders;

    if ((context->targets.count || context->targets.depth.resource != NULL) &&
        !agpu_bind_targets(context, &targets)) {
        return false;
    }
    if (context->uav_top && !agpu_bind_uavs(context, 0, context->uav_top, uavs, NULL)) {
        return false;
    }
    if (memcmp(&context->shaders, &shaders, sizeof shaders) == 0) {
        return true;
    }
    if (!agpu_cmd_bind_shaders(&context->cmd, 0, 0, 0)) {
        return false;
    }
    context->shaders = shaders;
    return true;
}

/* After a lost submission the device's bindings are unknown: unbinds every slot, whatever the caches hold, after which
 * the caches are right again. */
static bool clear_unknown(struct agpu_context *context)
{
    static const struct agpu_bound_view nothing[AGPU_DDI_UAV_SLOTS];
    static const struct agpu_bound_constants constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    static const uint32_t samplers[AGPU_DDI_SAMPLER_SLOTS];
    static const struct agpu_bound_vertices vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    static const struct agpu_target_set targets;
    const uint32_t slots = AGPU_DDI_SHADER_RESOURCE_SLOTS;

    for (uint32_t i = 0; i < AGPU_STAGE_COUNT; i++) {
        enum agpu_stage stage = (enum agpu_stage)i;

        for (uint32_t slot = 0; slot < slots; slot++) {
            if (!agpu_bind_view(context, stage, slot, nothing)) {
                return false;
            }
        }
        struct agpu_stage_code code = agpu_stage_code(stage);
        struct aerogpu_cmd_set_shader_resource_buffers *buffers =
            agpu_cmd_append(&context->cmd, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
                            sizeof *buffers + slots * sizeof(struct aerogpu_shader_resource_buffer_binding));
        if (buffers == NULL) {
            return false;
        }
        buffers->shader_stage = code.stage;
        buffers->buffer_count = slots;
        buffers->reserved0 = code.stage_ex;
        if (!agpu_bind_constants(context, stage, 0, AGPU_DDI_CONSTANT_BUFFER_SLOTS, constants) ||
            !agpu_bind_samplers(context, stage, 0, AGPU_DDI_SAMPLER_SLOTS, samplers)) {
            return false;
        }
    }
    if (!agpu_bind_input_layout(context, 0) || !agpu_bind_topology(context, AEROGPU_TOPOLOGY_TRIANGLELIST) ||
        !agpu_bind_vertex_buffers(context, 0, context->device->vertex_slots, vertices) ||
        !agpu_bind_index_buffer(context, NULL, AEROGPU_INDEX_FORMAT_UINT16, 0) ||
        !agpu_bind_targets(context, &targets) ||
        !agpu_bind_uavs(context, 0, AGPU_DDI_UAV_SLOTS, nothing, NULL) ||
        !agpu_cmd_bind_shaders(&context->cmd, 0, 0, 0)) {
        return false;
    }
    context->shaders = (struct agpu_shader_handles){0};
    context->state_lost = false;
    return true;
}

bool agpu_record_default_state(struct agpu_context *context)
{
    if (context->state_lost && !clear_unknown(context)) {
        return false;
    }
    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        if (!clear_stage(context, (enum agpu_stage)stage)) {
            return false;
        }
    }
    return clear_input(context) && clear_outputs(context) &&
           /* Not cached, therefore always recorded. */
           agpu_emit_blend(context, NULL, NULL, 0xFFFFFFFFu) && agpu_emit_depth_stencil(context, NULL) &&
           agpu_emit_rasterizer(context, NULL) && agpu_emit_viewport(context, NULL) &&
           agpu_emit_scissor(context, NULL);
}
