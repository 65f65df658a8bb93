/* clear_state.c: ClearState: empties all bindings and resets every state to its default, in the order of umd.md 11. */
#include "umd-port/state/clear_state.h"

#include "umd-port/base/trace.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/fixed.h"
#include "umd-port/state/input.h"
#include "umd-port/state/stages.h"
#include "umd-port/state/viewport.h"

static const enum agpu_stage cleared_stages[] = {AGPU_STAGE_VS, AGPU_STAGE_PS, AGPU_STAGE_GS, AGPU_STAGE_CS};
#define CLEARED_STAGES (sizeof(cleared_stages) / sizeof(cleared_stages[0]))

static bool clear_views(struct agpu_context *context)
{
    static const struct agpu_bound_view nothing;

    for (uint32_t i = 0; i < AGPU_STAGE_COUNT; i++) {
        for (uint32_t slot = context->stages[i].view_top; slot-- > 0;) {
            if (context->stages[i].views[slot].resource != NULL &&
                !agpu_bind_view(context, (enum agpu_stage)i, slot, &nothing)) {
                return false;
            }
        }
    }
    return true;
}

static bool clear_stage_slots(struct agpu_context *context)
{
    static const struct agpu_bound_constants constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    static const uint32_t samplers[AGPU_DDI_SAMPLER_SLOTS];

    for (size_t i = 0; i < CLEARED_STAGES; i++) {
        if (!agpu_bind_constants(context, cleared_stages[i], 0, AGPU_DDI_CONSTANT_BUFFER_SLOTS, constants)) {
            return false;
        }
    }
    for (size_t i = 0; i < CLEARED_STAGES; i++) {
        if (!agpu_bind_samplers(context, cleared_stages[i], 0, AGPU_DDI_SAMPLER_SLOTS, samplers)) {
            return false;
        }
    }
    return true;
}

/* The reference driver's ClearState does not include the tessellation stages, but their bindings must not remain. */
static bool clear_tessellation(struct agpu_context *context)
{
    static const enum agpu_stage stages[] = {AGPU_STAGE_HS, AGPU_STAGE_DS};
    static const struct agpu_bound_constants constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    static const uint32_t samplers[AGPU_DDI_SAMPLER_SLOTS];

    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        const struct agpu_stage_state *state = &context->stages[stages[i]];
        uint32_t top = AGPU_DDI_SAMPLER_SLOTS;

        while (top && !state->samplers[top - 1]) {
            top--;
        }
        if ((state->constant_top &&
             !agpu_bind_constants(context, stages[i], 0, state->constant_top, constants)) ||
            (top && !agpu_bind_samplers(context, stages[i], 0, top, samplers))) {
            return false;
        }
    }
    return true;
}

/* Buffers share the view slots with textures, but the device's buffer slots are emptied by their own packet. */
static bool clear_buffer_views(struct agpu_context *context)
{
    for (size_t i = 0; i < CLEARED_STAGES; i++) {
        struct agpu_stage_code code = agpu_stage_code(cleared_stages[i]);

        const size_t bytes =
            AGPU_DDI_SHADER_RESOURCE_SLOTS * sizeof(struct aerogpu_shader_resource_buffer_binding);
        struct aerogpu_cmd_set_shader_resource_buffers *packet =
            agpu_cmd_append(&context->cmd, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, sizeof *packet + bytes);
        if (packet == NULL) {
            return false;
        }
        packet->shader_stage = code.stage;
        packet->buffer_count = AGPU_DDI_SHADER_RESOURCE_SLOTS;
        packet->reserved0 = code.stage_ex;
    }
    return true;
}

static bool clear_pipeline(struct agpu_context *context)
{
    static const struct agpu_bound_view uavs[AGPU_DDI_UAV_SLOTS];
    static const struct agpu_bound_vertices vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    static const struct agpu_target_set targets;

    return agpu_bind_uavs(context, 0, AGPU_DDI_UAV_SLOTS, uavs, NULL) && agpu_bind_input_layout(context, 0) &&
           agpu_bind_topology(context, AEROGPU_TOPOLOGY_TRIANGLELIST) &&
           agpu_bind_vertex_buffers(context, 0, context->device->vertex_slots, vertices) &&
           agpu_bind_index_buffer(context, NULL, AEROGPU_INDEX_FORMAT_UINT16, 0) &&
           agpu_bind_targets(context, &targets);
}

static bool clear_shaders(struct agpu_context *context)
{
    if (!agpu_cmd_bind_shaders(&context->cmd, 0, 0, 0)) {
        return false;
    }
    context->shaders = (struct agpu_shader_handles){0};
    return true;
}

void agpu_clear_state(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "ClearState");
    if (!clear_views(context) || !clear_stage_slots(context) || !clear_tessellation(context) ||
        !clear_buffer_views(context) || !clear_pipeline(context) ||
        !agpu_emit_blend(context, NULL, NULL, 0xFFFFFFFFu) || !agpu_emit_depth_stencil(context, NULL) ||
        !agpu_emit_rasterizer(context, NULL) || !clear_shaders(context) ||
        !agpu_emit_viewport(context, NULL) || !agpu_emit_scissor(context, NULL)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}
