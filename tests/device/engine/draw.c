/* draw.c: DRAW, DRAW_INDEXED, DISPATCH: validation, then the renderer (commands.md 8 to 11, 15). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/shader.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/target.h"

/* Work charged for a draw. The model cannot know the real cost; only the renderer does. */
#define DRAW_COST (1ull << 16)

/* Finds the stages that have a shader. Each bound shader must belong to its stage. */
static bool graphics_stages(const struct vgpu_state *state, uint32_t *mask)
{
    *mask = 0;
    for (unsigned stage = 0; stage < VGPU_STAGE_COMPUTE; stage++) {
        const struct vgpu_slot *slot = &state->stages[stage].shader;
        const struct vgpu_shader *shader = slot->thing;

        if (slot->handle != 0) {
            *mask |= 1u << stage;
        }
        if (shader != NULL && shader->stage != stage) {
            return false;
        }
    }
    return true;
}

/* Checks that at least one target is bound, all are usable, and all have one size. */
static bool targets_valid(const struct vgpu_state *state)
{
    struct vgpu_target first = {0};
    struct vgpu_target target;

    for (uint32_t i = 0; i <= AEROGPU_MAX_RENDER_TARGETS; i++) {
        const bool depth = i == AEROGPU_MAX_RENDER_TARGETS;
        const struct vgpu_slot *slot = depth ? &state->depth : &state->colors[i];

        if (slot->handle == 0) {
            continue;
        }
        if (!vgpu_target_describe(slot, depth, &target)) {
            return false;
        }
        if (first.resource == NULL) {
            first = target;
        } else if (target.sub.width != first.sub.width || target.sub.height != first.sub.height) {
            return false;
        }
    }
    return first.resource != NULL;
}

static bool has_stage(uint32_t mask, enum vgpu_stage stage)
{
    return (mask >> stage & 1) != 0;
}

static bool topology_fits(uint32_t topology, uint32_t stages)
{
    if (topology >= AEROGPU_TOPOLOGY_PATCHLIST_1) {
        return has_stage(stages, VGPU_STAGE_HULL) && has_stage(stages, VGPU_STAGE_DOMAIN);
    }
    return topology < AEROGPU_TOPOLOGY_LINELIST_ADJ || has_stage(stages, VGPU_STAGE_GEOMETRY);
}

static uint32_t execute_draw(struct vgpu_exec *exec, const struct vgpu_draw *draw_call)
{
    struct vgpu_state *state = &exec->state;
    const struct vgpu_input_layout *layout;
    uint32_t stages;

    if (draw_call->count == 0 || draw_call->instance_count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!graphics_stages(state, &stages) || !has_stage(stages, VGPU_STAGE_VERTEX) ||
        (draw_call->indexed && state->index_buffer.slot.handle == 0) ||
        !vgpu_state_resolve(exec, stages, true, draw_call->indexed) || !graphics_stages(state, &stages) ||
        !targets_valid(state) || !topology_fits(state->topology, stages)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    layout = state->input_layout.thing;
    if (layout != NULL && !layout->usable) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    vgpu_exec_spend(exec, DRAW_COST);
    if ((state->blend.sample_mask & 1) == 0) { /* discards every draw */
        return AEROGPU_ERROR_NONE;
    }
    return exec->renderer != NULL ? exec->renderer->draw(exec->renderer->ctx, draw_call)
                                  : AEROGPU_ERROR_BACKEND;
}

uint32_t vgpu_packet_draw(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_draw *call = packet;

    (void)size;
    return execute_draw(exec, &(struct vgpu_draw){
                                  .state = &exec->state,
                                  .count = call->vertex_count,
                                  .instance_count = call->instance_count,
                                  .first = call->first_vertex,
                                  .first_instance = call->first_instance,
                              });
}

uint32_t vgpu_packet_draw_indexed(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_draw_indexed *call = packet;

    (void)size;
    return execute_draw(exec, &(struct vgpu_draw){
                                  .state = &exec->state,
                                  .indexed = true,
                                  .count = call->index_count,
                                  .instance_count = call->instance_count,
                                  .first = call->first_index,
                                  .base_vertex = call->base_vertex,
                                  .first_instance = call->first_instance,
                              });
}

uint32_t vgpu_packet_dispatch(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_dispatch *call = packet;
    struct vgpu_dispatch dispatch = {
        .state = &exec->state,
        .groups = {call->group_count_x, call->group_count_y, call->group_count_z},
    };
    const struct vgpu_shader *shader;

    (void)size;
    if (dispatch.groups[0] == 0 || dispatch.groups[1] == 0 || dispatch.groups[2] == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!vgpu_stage_decode(AEROGPU_SHADER_STAGE_COMPUTE, call->reserved0, exec->minor, &dispatch.stage) ||
        exec->state.stages[dispatch.stage].shader.handle == 0 ||
        !vgpu_state_resolve(exec, 1u << dispatch.stage, false, false)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    shader = exec->state.stages[dispatch.stage].shader.thing;
    if (shader->stage != dispatch.stage) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    vgpu_exec_spend(exec, DRAW_COST);
    return exec->renderer != NULL ? exec->renderer->dispatch(exec->renderer->ctx, &dispatch)
                                  : AEROGPU_ERROR_BACKEND;
}
